// Published answers of XAES-256-GCM: C2SP's specification (version 1), and messages that Tink 1.16.1 for Python sealed.
import { MESSAGES } from './tink.js'

/** Hex digits on several lines. */
const bytes = (text: string): Buffer<ArrayBuffer> => Buffer.from(text.replace(/\s/g, ''), 'hex')

export interface Message {
  key: Uint8Array
  nonce: Uint8Array
  plaintext: Uint8Array
  aad: Uint8Array
}

export interface Sealed {
  text: Buffer
  tag: Buffer
}

/** The two vectors of the specification: the highest bit of L is 0 in the first and 1 in the second. */
export const VECTORS = [
  {
    name: 'L begins with a bit 0',
    key: Buffer.alloc(32, 1),
    nonce: Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'),
    l: bytes('7298caa565031eadc6ce23d23ea66378'),
    k1: bytes('e531954aca063d5b8d9c47a47d4cc6f0'),
    derivedKey: bytes('c8612c9ed53fe43e8e005b828a1631a0bbcb6ab2f46514ec4f439fcfd0fa969b'),
    derivedNonce: bytes('4d4e4f505152535455565758'),
    plaintext: Buffer.from('XAES-256-GCM'),
    aad: Buffer.alloc(0),
    text: bytes('ce546ef63c9cc60765923609'),
    tag: bytes('b33a9a1974e96e52daf2fcf7075e2271'),
  },
  {
    name: 'L begins with a bit 1',
    key: Buffer.alloc(32, 3),
    nonce: Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWX'),
    l: bytes('91c08762876dccf9ba204a33768fa5fe'),
    k1: bytes('23810ec50edb99f374409466ed1f4b7b'),
    derivedKey: bytes('e9c621d4cdd9b11b00a6427ad7e559aeedd66b3857646677748f8ca796cb3fd8'),
    derivedNonce: bytes('4d4e4f505152535455565758'),
    plaintext: Buffer.from('XAES-256-GCM'),
    aad: Buffer.from('c2sp.org/XAES-256-GCM'),
    text: bytes('986ec1832593df5443a17943'),
    tag: bytes('7fd083bf3fdb41abd740a21f71eb769d'),
  },
]

/** The hashes of the specification's accumulated tests, by the number of messages. */
export const ACCUMULATED: Record<number, string> = {
  10000: 'e6b9edf2df6cec60c8cbd864e2211b597fb69a529160cd040d56c0c210081939',
  1000000: '2163ae1445985a30b60585ee67daa55674df06901b890593e824b8a7c885ab15',
}

/** Tink's keys, and its ciphertexts without the prefix of the key: `salt ‖ iv(12) ‖ ciphertext ‖ tag(16)`. */
const TINK_KEYS = [
  {
    template: 'XAES_256_GCM_192_BIT_NONCE',
    saltBytes: 12,
    key: bytes('5f3b802ddd7f0dc63cb68c0eadb4ecd0c96882f14152bc69cc963c70f057d35a'),
    sealed: [
      bytes('3f95429b3f8efa60962a0d8aecac7ceb57123e27332d097db896952e3381a29d5d1c409baa462ca0'),
      bytes(`
        bcb6f5a08fe34b05d707a5b1ac257cfd80a074bb93797f4a1927112016fe9a49edee868fa9510e6df7b74faa08bdffaa
        b69225dabd67
      `),
      bytes(`
        63a2659daf896809837dd030dc1f94459b89b36f10df1d07564ae69b7db9787611a09d0ea3e19df4617af9f25f9af3a6
        ebe4dd4383ae
      `),
      bytes(`
        26b015d067be9d2ceaa2963f465cd9bcb692d0e0898fd42849556f2ecea2f84208a7983fc96dfd3363fa19ed2ceff0fd
        abc40deed9e37fe65e7ffb0e6d5c6cf6f7f0ed7b0b3dc9571791a172d3d82788f86d4afcc66c54ab4b3a036c7ebaff25
        e67f93cacb01fc49e5f0985b67fb32dbd4a491be23e83117987346f4ba9bcf473ecff8223b68a2e768d6d133cd1c2748
        f38e3c1b4c476469eaa54e5d46211fd4b969eea8edbeac30623278c4f9bf474505c19ceff7f0f9b27ecab1ddb5fec882
        eab4a4514fcf8e66d4bab66db72884c5508b5868c46a1a0dabb57dfa09dbe45f73a57f94921ee6e96efff19af0856d47
        7930dc98446406ab760307a85f905f1f656f7f8a0f11c8e0f277210942e114eb36d28d744ccf2eeb65591250ade570e0
        28f7276eedcd66ff
      `),
    ],
  },
  {
    template: 'XAES_256_GCM_192_BIT_NONCE_NO_PREFIX',
    saltBytes: 12,
    key: bytes('9dea82593f5da8c8e348a35993df9edade1ddb734fa4dda1c5e92201dd0b145d'),
    sealed: [
      bytes('75a67fe4044582e52721fc0424fd57306a4f8bead9b876ac132239863b81e0c56f39195a58685790'),
      bytes(`
        7f80d3ca554000ce70108efae86df50f99e89b986101456c379986bfc95b7144217791c48a12085aa37e6e6169ec1f99
        5d618e58cb83
      `),
      bytes(`
        6c92bd08e2bd3bfbf88b20031d604a210b45f68c307a9a5e4863a1e173ce1a72b3bc36e864668b3221f8385a5a980b7f
        9b62a0dbecff
      `),
      bytes(`
        babd329c88d231a9ea2616d9e56bab32383bb0e4a07bb8a67fa73b81bb19f36f6b13d91f77080b0d1989024c40ebb204
        2c2da986ff9b2b16968d0d5364099b23e6afb02f8ce0b4de521a3e40dde4600307104811f36ceafcd41227c3783d77aa
        3c350e67622840f9c2875252681969edb1f4703f863c9b8127f01a53162e39aedc80e28198203b9094516490c66260ea
        21785fefc742e93b42153e9ff556d03d363d7086d683ffc495d6b4363ca89bf04351527f8a99ea01354bfcd031fa8b38
        7ace92115cead200d11215e6f9326d12f102fb6d47e6a59cee6a5fddcd1aa0c5af079d32823edb093a53154d9e000601
        ab8cc955c62e2d3cd977de68df38b7217803516855cb144e646f5831f36293544881e5b10a0b8ad412884ef4b3167883
        6cf5bfba9b3887a9
      `),
    ],
  },
  {
    template: 'XAES_256_GCM_160_BIT_NONCE_NO_PREFIX',
    saltBytes: 8,
    key: bytes('6740f07195417d615726031e27b60f38497c01057e960f2e562604d1b45d0c3a'),
    sealed: [
      bytes('fb574d876258b06efeefe56afbcff59eab9e4e8d81515dbd8ba394d582ff40fc9c07bed1'),
      bytes(`
        5b81c738d9d7e9ceb671bb1ac4d11e2d7d2466bfc114a4ee7e824f4f2d9500bca52ce6d1867d03d2634f998994fa8caa
        cca5
      `),
      bytes(`
        03320c76e1546614163d116076391fe1ff430d9f5fe78a781b634e7d1dad2c491b6ec9f493ab71885c835f066b5bc259
        3687
      `),
      bytes(`
        015ef3f58e025603d6396dd358b9fbb5f04438a2e916dbddc69cb27a25202a24f656d73d536fb42e6fb02854bbe9510e
        88b7fbedde3a9413636819b111d6b4037af856ca74df960d0cdf5cd80fd27916fc70c1411bce8d3ec4ed9c0a68f529a7
        d3d4737ca3b61911d378b1abba5fa38cd920a8cbf43d83a27e55c921e354c0badcde77d1fba810fa879399b3c86e868d
        938823195261db859ca6a0183eb2bde3e511fe11ec9e4de494cd3a5d32811005a3c5cba6185d6a5cda4411c3b1f988c2
        4fb73f7430bbbfa7b34c0e6247f2dab14bf79415607746b48743d8add761ab1190f973946715b29646ccec7a651832fa
        d4645e4918371b27b7476d0630bf14f0dedf7781c891fadc1ecffdce77b7ffd8f7cc4992c9fae722af57b9f1a6bc87ae
        e71715eb
      `),
    ],
  },
]

/**
 * Tink's messages, with nonces of 24 bytes. A salt of 8 bytes, in Tink's nonces of 160 bits, is padded with zeros to 12 bytes
 * for the key derivation, so such a message is one whose nonce has four zeros after the salt.
 */
export const TINK = TINK_KEYS.flatMap(({ template, saltBytes, key, sealed }) =>
  sealed.map((message, i) => {
    const [plaintext, aad] = MESSAGES[i] as (typeof MESSAGES)[number]
    const iv = message.subarray(saltBytes, saltBytes + 12)
    const nonce = Buffer.concat([message.subarray(0, saltBytes), Buffer.alloc(12 - saltBytes), iv])
    const text = message.subarray(saltBytes + 12, -16)
    return { name: `${template} ${i}`, key, nonce, plaintext, aad, text, tag: message.subarray(-16) }
  }),
)
