// Answers of our own for shares, some of which docs/formats.md shows; models/shares.ts gave them. With H for SHA-256 of a text, the
// secret's polynomial has the coefficients secret, H("secret 1"), H("secret 2"), and the other one H("blind 0"), H("blind 1"),
// H("blind 2"): as many as the threshold.

/** Hex digits, perhaps in groups. */
const bytes = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
/** A text on several lines. */
const joined = (text: string): string => text.replace(/\s/g, '')

/** The lines of `binary` are header and check, the value of the secret, and the other value. */
export const SPLITS = [
  {
    threshold: 3,
    secret: bytes('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'),
    blind: bytes('d00039cee64b5dcf1285a8ded98b9da0d1619f9885821318012ceed12ad88e77'),
    coefficients: {
      secret: [
        bytes('5485cb5d03981cc3bd989290a6be33ca392c013279a5c3c3fd10a1cae57e1460'),
        bytes('ded6c02a4bc1fb712f3b71efcb883ad5b31f4cef6a327b079573143ec9c71fb3'),
      ],
      blind: [
        bytes('c2ef81dfab75dc02c1ca34634f00e4e2a90e80b0fb6877a2a312d83c6280346f'),
        bytes('2d06e4fc9c3f53bc567159a1140f0a9482be80108b6a07f71133e18b9a140c74'),
      ],
    },
    shares: [
      {
        binary: bytes(`
          01200301 9af58b8f39a0ad56d62838f7442fc00f
          8a5209744c5ce1b59aaae974613b07109a225fce0782aed3707aafef30a415cc
          3fe95cedd101d271853ec51c828473d6fad19f38f580634db30dd766d24cb66c
        `),
        text: joined(`
          AGS1-EABQD-GXVRO-HTTIF-NK3LC-QOHXI-QX4AD-4KKIE-XITC4-4G2ZV-KXJOR-QTWBY-QTIRF-7TQHQ-KXNG4-
          D2V7X-TBJAV-ZQ76S-XHN2E-A5E4M-FH3CR-ZAUEO-PLPVU-M7HD2-YAY2N-WMG5O-ZWSJS-3GYH6-SGXHQ
        `),
      },
      {
        binary: bytes(`
          01200302 9af58b8f39a0ad56d62838f7442fc00f
          d25194102c32de2acfd5e8956f5182ccae3423ca4f977d8cb7f40975f1fd4811
          e1c4a983c05daf1ec8d4a69c17b67e3589869ebb5efae38003c6d8878788d77a
        `),
        text: joined(`
          AGS1-EABQF-GXVRO-HTTIF-NK3LC-QOHXI-QX4AD-6SKGK-BALBS-3YVM7-VPISV-XVDAW-MVY2C-HSSPS-56YZN-
          7UBF2-7D7KI-CHQ4J-KMDYB-O26HW-I2STJ-YF5WP-Y2YTB-U6XNP-PVY4A-APDNR-B4HRD-LXU42-24XVA
        `),
      },
      {
        binary: bytes(`
          01200303 9af58b8f39a0ad56d62838f7442fc00f
          58029f67646b39985d760bea02678bd324076e175c00c548df97bc81dd4443c2
          0e2dcca0f71720a05f6fcb5e4cb99043a2369e1b2ef893d5b1e7e1307f1cef61
        `),
        text: joined(`
          AGS1-EABQH-GXVRO-HTTIF-NK3LC-QOHXI-QX4AD-2YAKP-WOZDL-HGMF2-5QL5I-BGPC6-TEQDW-4F24A-DCURX-
          4XXSA-52RCD-YIHC3-TFA64-LSBIC-7N7FV-4TFZS-BB2EN-U6DMX-PRE6V-WHT6C-MD7DT-XWCZM-2WYCA
        `),
      },
      {
        binary: bytes(`
          012003fe 9af58b8f39a0ad56d62838f7442fc00f
          960ef923b5ba4a44953d9a87f3ac31305a09459b1c04eaf554a9e56dd799e5d8
          19fe8efea7a627157f51b47141f5d04c98dd8d4c520c3fedec6c6c7fa23f56ec
        `),
        text: joined(`
          AGS1-EAB75-GXVRO-HTTIF-NK3LC-QOHXI-QX4AD-4WB34-SHNN2-JJCJK-PM2Q7-Z2YMJ-QLIEU-LGY4A-TVPKV-
          FJ4VW-5PGPF-3AM75-DX6U6-TCOFL-7KG2H-CQPV2-BGJRX-MNJRJ-AYP7N-5RWGY-75CH5-LOZXS-OFJRQ
        `),
      },
      {
        binary: bytes(`
          012003ff 9af58b8f39a0ad56d62838f7442fc00f
          1c5df254fde3adf6079e79f89e9a382fd03a08460f9352313cca5099fb20ee0b
          f617ebdd90eca8abe8ead9b31afa3e3ab36d8dec220e4fb85e4d55c85aab6ef7
        `),
        text: joined(`
          AGS1-EAB77-GXVRO-HTTIF-NK3LC-QOHXI-QX4AD-Y4LXZ-FJ7PD-VX3AP-HTZ7C-PJUOB-P2A5A-QRQPS-NJDCP-
          GKKCM-7WIHO-BP3BP-265SD-WKRK7-I5LM3-GGX2H-Y5LG3-MN5QR-A4T5Y-LZGVL-SC2VN-XPOBV-T6NLA
        `),
      },
    ],
  },
  {
    threshold: 2,
    secret: bytes('000102030405060708090a0b0c0d0e0f'),
    blind: bytes('d00039cee64b5dcf1285a8ded98b9da0d1619f9885821318012ceed12ad88e77'),
    coefficients: {
      secret: [bytes('5485cb5d03981cc3bd989290a6be33ca392c013279a5c3c3fd10a1cae57e1460')],
      blind: [bytes('c2ef81dfab75dc02c1ca34634f00e4e2a90e80b0fb6877a2a312d83c6280346f')],
    },
    shares: [
      {
        binary: bytes(`
          01100201 a5ac80a42cf333c5c553402d44eba182
          5484c95e079d1ac4b591989baab33dc5392c013279a5c3c3fd10a1cae57e1460
          12efb8114d3e81cdd34f9cbd968b7942786f1f287eea64baa23e36ed4858ba18
        `),
        text: joined(`
          AGS1-CABAD-JNMQC-SCZ4Z-TYXCV-GQBNI-TV2DA-SUQTE-V4B45-DLCLL-EMYTO-VLGPO-FHEWA-CMTZU-XB4H7-
          IQUHF-OK7QU-MAJO7-OARJU-7IDTO-TJ6OL-3FULP-FBHQ3-Y7FB7-OUZF2-UI7DN-3KILC-5BRRI-G5ORA
        `),
      },
      {
        binary: bytes(`
          01100202 a5ac80a42cf333c5c553402d44eba182
          a90a94b903353ba473382f2a4171699b72580264f34b8787fa214395cafc28c0
          55df3a71b0a0e1ee9111c018478a5465837c9ef97352fc5d47095ea9efd8e6a8
        `),
        text: joined(`
          AGS1-CABAF-JNMQC-SCZ4Z-TYXCV-GQBNI-TV2DA-VJBKK-LSAZV-HOSHG-OBPFJ-AXC2M-3OJMA-EZHTJ-ODYP6-
          RBIOK-4V7BI-YBK56-OTRWC-QOD3U-RCHAB-QR4KK-RSYG7-E67FZ-VF7C5-I4EV5-KPP3D-TKQZI-42K2Q
        `),
      },
      {
        binary: bytes(`
          01100203 a5ac80a42cf333c5c553402d44eba182
          fd8f5fe400ad2767cea0bdbae7cf5a514b7403568aee44440731e25f2f823ca0
          9730bbae1bd53dec50dbf47b088ab0872a721e49883a8bffe41b86958d58d2c7
        `),
        text: joined(`
          AGS1-CABAH-JNMQC-SCZ4Z-TYXCV-GQBNI-TV2DA-X5R5P-6IAFN-E5T45-IF5XL-T46WS-RJN2A-GVUK5-ZCEIB-
          ZR4JP-S7AR4-UCLTB-O5ODP-KT33C-Q3P2H-WCEKW-CDSU4-Q6JGE-DVC77-4QNYN-FMNLD-JMPU7-77DJA
        `),
      },
    ],
  },
]
