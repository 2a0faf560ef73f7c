// Messages of AES-GCM-SIV that Tink 1.16.1 for Python sealed.
import { MESSAGES } from './tink.js'

/** Hex digits on several lines. */
const bytes = (text: string): Buffer<ArrayBuffer> => Buffer.from(text.replace(/\s/g, ''), 'hex')

/** Tink's keys, and its ciphertexts without the prefix of the key: `nonce(12) ‖ ciphertext ‖ tag(16)`. */
const TINK_KEYS = [
  {
    template: 'AES256_GCM_SIV',
    key: bytes('87c568e037a5fa50b1bc911e8ee19a77c4dd3c22bce9932f86fdd8a216afe168'),
    sealed: [
      bytes('e952eec44c5170cc4c15ed7da00655370636aa6d72bc73319724dcad'),
      bytes('1d6f38c1cac1cf98c83e8ee5af62a5245a5780397bd8e1a9459890115934d0e19adbe502fa5012207bd6'),
      bytes('0ffc06e3313e0ab84dd0f73a6e7e6f0a6aeda57f8003def000bdd9ba941b0f06efeebaecca6296cabb09'),
      bytes(`
        0604b1416d47cf5bab9fb4dcafc7487ad4351a3874c501eba5d945de3dc3196d71f9360564779d0fdc9ee9ded5c85c47
        f5d20e31c139a882d5be9e90528f5637eb3ca80965c867ca98fffe8c5221ee6c050c36d8376fea87e4bd10d4a45d54d9
        4234992e3e64f706190e35e88fc426384893cb201753f802489c054029db2ddb33c8fd79d8f47a090cd372c6c2fe0dbb
        937ddda13f92709fbad8c1d956a6d8f70c422e6da4c0a6d6dba5d1f94c9c1d9e17620decfc9ceb0b650110a69d6f018c
        eebe9ef8399dc62d016b3c1d5ce59616c85fbdc9e3b54ce1dcf2592c4314d60513ee9827b6ac8428a86f456a25d0151b
        10a22264468dd021077940f5618a7e72af1070528144a30cf2255fb141af18443f89c9cb1c30a450af86dbf2
      `),
    ],
  },
  {
    template: 'AES128_GCM_SIV_RAW',
    key: bytes('711c22448e721e5491d8245b49425aa8'),
    sealed: [
      bytes('4b0782cee5f15d0787daf6f2bcf3947f985226dc56906ad20a230969'),
      bytes('db8a2b7df84de55403ee503f429a8d345c083fe880702ecd813a414957101543406cf33a88dc28efdb3f'),
      bytes('d89ad77c1ad3c35579d0232b989d8a5ee7c8d8096ed48f8b0c75a8525612bd03c96e8dbfc5fa4592a9a3'),
      bytes(`
        15ba5e5e88a65c9f37c4fbd3cc05d82296f751f4a5b1e3ee7ee4ebc2e605ceb4d129743be91bae4e4d74a5c0328e64a0
        2e2203165f3938404f5a770e798a69a6ac7835c445bbcbb2d841280e268aec8d8c0f5f4d11478ff7e3678cd0b1caa2be
        ffde3e1da2ce93f64efdb6ec5f569c3563dbcf25fbc616e9c4e0a82be060c7bf532018f06b502a36b0aa382de2796549
        8d050c12e993b693b93225ea403b63b2d35bfdb993d7031e7a2ce3dab69119bc2494d3674a06d7708af928fbec505524
        b824aabb66cf08313c8feb9002fefcb2184b4f02b262494694802a1981437490046551c42cac200442fbfc7649794e9a
        7bd90f50b0c12118eeb0439901b7638010b4146e6a866b5b8aeafdab47448cad2c1ea3905880bd7581d6dd7d
      `),
    ],
  },
  {
    template: 'AES256_GCM_SIV, beside a key of AES-GCM',
    key: bytes('87c568e037a5fa50b1bc911e8ee19a77c4dd3c22bce9932f86fdd8a216afe168'),
    sealed: [
      bytes('eb1290fbf82a5c25de4b5ca6d120800cbe2c908bc6d13e285db54778'),
      bytes('3758341b73711612648e0d016652ab38578b3f1f6b2be8198cdbcd3600785b5cae2accd1d33ef632495d'),
      bytes('a01b7e6ce108bf266bb07d733fcbce328e9762a3692eb8481baddf088b6f88491a2580e40534869d4fcc'),
      bytes(`
        4b550599d89dafc5c8d4fc29fa33c32800ceb79569e92e54d847d519cc29a9ceb69641cf812dae28b85dbdd8a1d31c13
        1f1ecbddf860cc6dd2c0b3fe8eced3b0cd6dc32662dba3e25693762e2342b92d417e3b378fa5b862d7fc4e3b78eb1198
        c0c9fb0ba09680ff78c6230b9a89a433ad1078307d51d5c444207fd1134d571a770da5ba9a4eca288a2e42b377910a07
        519710c00e875a7ff370a8004386b2040167c30036b86eb71ccb966f3f6a1919727dd46ad37b56e943d1f7c6c18ef033
        b412c777e6eb305cb5ff68dcc51324f64f10730b6a0950cf2fbdf22afe5778f1e30e96465bcaa982925e2a7b0f2e35f1
        ce0a65ce0fcca24dc6c09e1976f8a168a1b30c89ed97edd83b5b3570638ab68092187c13ad9d327243b54bb2
      `),
    ],
  },
]

export const TINK = TINK_KEYS.flatMap(({ template, key, sealed }) =>
  sealed.map((message, i) => {
    const [plaintext, aad] = MESSAGES[i] as (typeof MESSAGES)[number]
    const [nonce, text] = [message.subarray(0, 12), message.subarray(12, -16)]
    return { name: `Tink, ${template}, ${i}`, key, nonce, plaintext, aad, text, tag: message.subarray(-16) }
  }),
)
