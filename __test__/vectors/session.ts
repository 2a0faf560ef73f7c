// Answers of our own for sessions, and a transcript of KeibiDrop's wire; docs/formats.md shows them. The reference gave them.

/** Hex digits, perhaps on several lines. */
const bytes = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')

export const SECRETS: readonly Buffer[] = [
  Buffer.from('a secret of thirty-two bytes 001'),
  Buffer.from('another secret, thirty-four bytes.'),
]
/** Of the rekey of the initiator's second epoch. */
export const EXTRA: readonly Buffer[] = [Buffer.from('an extra secret: 32 bytes of it.')]

/** Types and plaintexts of the records below. */
export const SCRIPT = {
  initiator: [
    ['confirm', ''],
    ['data', 'hardware'],
    ['rekey', '\x00'],
    ['data', 'aes'],
    ['rekey', '\x01'],
    ['data', 'gcm'],
    ['end', ''],
  ],
  responder: [
    ['confirm', ''],
    ['data', 'yes'],
    ['end', ''],
  ],
} as const

export const SESSIONS = [
  {
    cipher: 'aes-256-gcm',
    context: undefined,
    hello: {
      initiator: bytes(`
        484147530100000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f03010203
      `),
      responder: bytes(`
        484147530101202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f020301
      `),
    },
    transcript: bytes(`
      ff3252bb124803177cf218a020691c7201a61af208f3bdcbc76f55daf0ef412f9014e7ca12fb51b9ee6532ce7722b480
      ffe55adb6dedd0a5d33b45e2f9cac0c5
    `),
    prk: bytes(`
      9ac0cb1f7765398ac1200b4cfcff966e3154ac3e3abe9de681ac041eccf8c5bed9473e17a64ae65ccc8d05c96658cbd5
      bd778170e5c4e8754fbf7a19e6f20b30
    `),
    epochs: {
      initiator: [
        {
          key: bytes('64121310ea2eb00847e32df7704b95362a20e0ddfa4315a9945bc80ec2494ef0'),
          iv: bytes('06f310bf8570b79650fe26bb'),
          chain: bytes(`
            2c135375c83445b9fc16913cfa3676cc04f83596fd50fa297fc74fa7f9c03171e880246e70ffb2e94b2f9e8fddd57fad
            04dcd2fc22aebc95ad32f65552ca0ae0
          `),
        },
        {
          key: bytes('a81ea7542119e27d7c57ca27d5b4fcdd69fbfb5a7c4ed4d349df33246728f74e'),
          iv: bytes('2475b39ed05652d3befa5889'),
          chain: bytes(`
            200a9ef247e31205fb27afc5983a57761c75583ab306050e5611b0625f2313233ff306e2ac50c7bb14151049d2c0ca96
            6e65e2ee226b1b136ce66c6bfba53239
          `),
        },
        {
          key: bytes('d202386483feaee8cc518fd66ee04682c640f40f95488b1149dfbe9a5ce1bf0c'),
          iv: bytes('24c4d32b27ba8cba18a92a7f'),
          chain: bytes(`
            83723053f2bb1ec8dd7484225d3e40c97859a27e1a516fc654abb4dce1859ea65df93cc29860559785bd2e48494cd896
            8b7a6dbe5308c77da5057ced87407cf0
          `),
        },
      ],
      responder: [
        {
          key: bytes('927b67b0f556ab63a9790bcb1fd7ca2602c65ef8aeb2908c0e572c93be7c33c5'),
          iv: bytes('1eeeb6310e5aba167d102a63'),
          chain: bytes(`
            f5ae32d4fc57ee9652ef0000d90ca8abcb0a8938380ce767c1c5c2320d981200c53a49650f550423c81be397e3ceb8b5
            23ac7ad04d2d1b929e903a109328852a
          `),
        },
      ],
    },
    records: {
      initiator: [
        bytes('0000001100034dcf885321eb2bcf4d72387410879c'),
        bytes('000000190173a31e35553be7e3848dbfd4b3449f39c2766277e7546c2f'),
        bytes('0000001202a10d4d2adb20374f4e3cc327e11f5e907f'),
        bytes('00000014017bc3c250dbc3af67d3410e6a99d54d57d3eb6e'),
        bytes('0000001202ba8482c443f3b2cbd3c86d97941c3c897d'),
        bytes('000000140197ae4e673a33048b267ac39528502bdb27005f'),
        bytes('000000110315a113780dfab90091efa56c84686f0f'),
      ],
      responder: [
        bytes('00000011005fc16ce05b135b2e97d896338a39da52'),
        bytes('0000001401c135466fe21ebe4a669ffa55145c50cfc829b7'),
        bytes('000000110304d03e5f8530a48cfa03148ec4bc1ddb'),
      ],
    },
  },
  {
    cipher: 'aes-128-gcm',
    context: undefined,
    hello: {
      initiator: bytes(`
        484147530100000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f03010203
      `),
      responder: bytes(`
        484147530101202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f020302
      `),
    },
    transcript: bytes(`
      e3b1959d291c9e94a7f7ae1ff6f643eacbd9adbbeb38d02b20c0f01aad283c27f3964c78cedaba3d08418113dc9ad1b6
      0a86f96fed239f0a0106805d4ae9793b
    `),
    prk: bytes(`
      7bc9e36612f8974dd388bc9194d642c96dcdddf6e9e405f2b2cb35e8a1df68cbd2e364c941536539c8981c44b776b83d
      3a439ec9044d3664a44cb3571b7580d3
    `),
    epochs: {
      initiator: [
        {
          key: bytes('e9c0eae3f16680ff933137bd2ec8b896'),
          iv: bytes('1dbf83a34602b2004b88f811'),
          chain: bytes(`
            014810440c12b05eabb78dbe1adfbf1ae3975ad82fb72dc69f05e9ff1e4d2f8cb409a9f387ca5056c1c61c4f5f0fdd85
            12b66f74778bda31110f6b57ef0c27a3
          `),
        },
      ],
      responder: [
        {
          key: bytes('2fef74bae40fa2b6aca4f1ac995a30c3'),
          iv: bytes('0619d189f8d2eb18129b2c86'),
          chain: bytes(`
            fd2a2abaa5b15dca0b039ac13bd648c325f86deb744182054ae5b0e89fdf184e2d7d4573d5bb1897f9be4163975a6afa
            4d7920663da8e94a2cb57451c9f2fb33
          `),
        },
      ],
    },
    records: {
      initiator: [
        bytes('0000001100618d32de5d2ba6c5e1f19dc0bcad9a7e'),
        bytes('0000001901a975968c8c48357bff2faa0464f885495866f852fd13e3e2'),
        bytes('00000012021cbfbe68fd2a6e14353d495e1c83ba3d3a'),
        bytes('000000140183ed715e85a444ebc4ac2ec9b67898767c6ef1'),
        bytes('000000120225ef31723c612d358e4587fbedf1e8b4d5'),
        bytes('0000001401a4842362797a5841766e5a97a3a6eef3af9285'),
        bytes('0000001103e31936da100e7e53b7eb0976d1285b5e'),
      ],
      responder: [
        bytes('00000011005d514ab7e266030b71ee6bfe3a03a1e2'),
        bytes('00000014016c71f2bcaf51768f89112574e291f902563ddf'),
        bytes('0000001103266d9a4cb35d87b9d66e56c564709f16'),
      ],
    },
  },
  {
    cipher: 'chacha20-poly1305',
    context: undefined,
    hello: {
      initiator: bytes('484147530100000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f0103'),
      responder: bytes(`
        484147530101202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f020903
      `),
    },
    transcript: bytes(`
      c58ad7dfd757a29c0fc92e526459fa678f437ae60f18097c3101fb19873d4100f6f08e4d6a74a2920f069fb04dca3c82
      ad7f5e93fe6db53e190d822cd8ebfacc
    `),
    prk: bytes(`
      30af84579ac48f0326fdb8ab0208d357fd412ceaab235fd45cee24455395e46c22bcf9e7074f48dc0b13b5b496770544
      292dd60c40bae806e41ba7bf183f99e6
    `),
    epochs: {
      initiator: [
        {
          key: bytes('2f67fa81f0d561d1a78041075a21c5a7f4cfa852d6e124ddbf637edc8b68ce3b'),
          iv: bytes('1faa94a9b8fc7cb1a9b9f377'),
          chain: bytes(`
            4ab21f82606656e60caa47e2722fb90153091af7cd420327b7c4ab885eb5b2e16acf8f40219b352d24a9570e5fe7cb33
            46eb29923a3775f01bbf3b90857049f1
          `),
        },
      ],
      responder: [
        {
          key: bytes('766404f201bbca4795f05097948ab3121f8032433d90a245e7089ec6afd6b5f2'),
          iv: bytes('e99045ae92532c0cb95f4834'),
          chain: bytes(`
            07ac11230d2760d7ed16a807d9f286af5d7da56427beb4a91d593d9445143381e8b92df91e4312793f83ca80e0f5cf26
            3f069d63af0bbcdc2a528ecd9af8b06f
          `),
        },
      ],
    },
    records: {
      initiator: [
        bytes('0000001100943e1fda6319e1254137e8f3dafd0774'),
        bytes('00000019010b83dbaa5056153a7aeac717b62457b57f111ceca77b6336'),
        bytes('000000120266ae4c6aecc0f0eed6e79df636e3d2fad2'),
        bytes('0000001401b1fce5b0c4bc2213a671b8ee35939eef8d2d26'),
        bytes('0000001202695d24b4a3694fc402f4b69b9d387b05b5'),
        bytes('0000001401556d4ff1ca1129d35949864bb794bfc10288b5'),
        bytes('00000011037a21d9249f6e1b1b3ebe1200a8cc57ce'),
      ],
      responder: [
        bytes('00000011009be0443e6faa2bb0d8567b331e314814'),
        bytes('0000001401e671bfbef7bf1d51f0974effbbc62ab856d0df'),
        bytes('0000001103991cbc476b23f9a9aa675c1484b0e7db'),
      ],
    },
  },
  {
    cipher: 'aes-256-gcm',
    /** Of both sides. The other sessions have none. */
    context: Buffer.from('mail: alice to bob'),
    hello: {
      initiator: bytes(`
        484147530100000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f03010203
      `),
      responder: bytes(`
        484147530101202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f020301
      `),
    },
    transcript: bytes(`
      ba8038cf947f3c036fe92cec1e394a6709abcbd8c5b6c78a1c1dc2c76b700fcd7f0e53ce0ae54e0f659551e82f58429d
      3e1a0f60b280fa8c8c4b85418587fb85
    `),
    prk: bytes(`
      0ff2752cdaf4de2b64d10bb4abf1b3b371f1bc4fd9f568f02206f7b43a0cd756c7bf77bfb33f7e1f3450109004fe6b92
      628a5a6eb1cfc94b38b8c7c5d53ea6da
    `),
    epochs: {
      initiator: [
        {
          key: bytes('13557ae7006f3bdf9de4cdf26f06a848feea744af8955bbd6173e31a45fa9ed4'),
          iv: bytes('03561c87a887b745f8e00fed'),
          chain: bytes(`
            41dcdf088a029feaee695fa89ca51d7f606830f603f78e59b3bdc50a97fa4b6ec07e620c9a7ffd2ffb838662f690fd18
            b7ba33e6ac473d904fed360737d6f1df
          `),
        },
      ],
      responder: [
        {
          key: bytes('99ed98d02a223f669a135eb64f7c33eba74503f37740245ba993c9a667a6f1c4'),
          iv: bytes('de37046e4116eda06a488207'),
          chain: bytes(`
            4348f0d59d54da17280bc3ae78781a389f3aefe1a41a355f507ad064ace48180e01bb4a597eb7353ba79fd7056b18fbf
            099ffa1c4fbecc28ec18996ef83fe354
          `),
        },
      ],
    },
    records: {
      initiator: [
        bytes('000000110052b8835f2537f9c71c706527588592e0'),
        bytes('000000190139ade7e74dab2f6672aabf2a8bb667c373175b115c58bcf7'),
        bytes('00000012020990c4954098b4815431a8016d0f0d03e1'),
        bytes('000000140180966549ace31f48bc6aee143c0eeafa5287c9'),
        bytes('0000001202e25a4f065c2943a52a49db49f917d1c19a'),
        bytes('00000014011ea282af3f295bbfff7cec44c7645d7b09da0f'),
        bytes('0000001103f05512c96cde98893cfb43726ad5069b'),
      ],
      responder: [
        bytes('00000011000d24edf61fbe09b5e7a61e4eccf44a39'),
        bytes('0000001401853e3ca46d3a3d55e6717f1915e20a1effb768'),
        bytes('00000011037911be6ba0d4e09986f6ff0becb220f5'),
      ],
    },
  },
] as const

/** What an original peer writes, in either role: three frames, then one under its next key. */
export const KEIBIDROP = [
  {
    cipher: 'aes-256-gcm',
    key: bytes('fe05dd87ef3bf0754236f5bfbc33bf47af358ce18d9a13b2ebe198e4a00b75db'),
    /** Of 'hardware', of no bytes, and of 'aes'. */
    frames: [
      bytes('000000244f555442000000000000000100be7f783defa7816b372eb606d6d4c25fc05dddb1b8ec50'),
      bytes('0000001c4f5554420000000000000002b91a9f168151de49b57de1efa0b1bf18'),
      bytes('0000001f4f5554420000000000000003fe828cb834aaa26db601c32cbd9a9203ed1d0d'),
    ],
    /** From EXTRA alone. */
    nextKey: bytes('33cdeaf44ebf254188e897dbec1b47cc1cd71ec91a263cabd8433b78305bb825'),
    /** Of 'gcm'. */
    nextFrame: bytes('0000001f4f5554420000000000000001b7ad41d5cf1a75ceff9058311abc335b1868c1'),
  },
  {
    cipher: 'chacha20-poly1305',
    key: bytes('0e5b914574f0ab1ae1fdeaf4a49a216023df44b502345e6661da0d45eec084bc'),
    /** Of 'hardware', of no bytes, and of 'aes'. */
    frames: [
      bytes('000000244f5554420000000000000001590f0169f0526f6398edf34aed1f408e66923ee9e3936c1f'),
      bytes('0000001c4f555442000000000000000217c37fd70e1e83cfc297c71c60be2a1b'),
      bytes('0000001f4f5554420000000000000003c71f4e517abd782a66ab1c45d243dea2ed8b05'),
    ],
    /** From EXTRA alone. */
    nextKey: bytes('2d2dd2647535c6becf5e2b6eb6550a350fda01b61a9f2d98f7cec9295122db93'),
    /** Of 'gcm'. */
    nextFrame: bytes('0000001f4f5554420000000000000001dbff661a3cffa99b54d0454b71b075f1b68b64'),
  },
] as const
