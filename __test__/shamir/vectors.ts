// Answers of our own for shares, which docs/formats.md shows; reference.ts gave them. Both splits have the coefficients SHA-256("S1"),
// SHA-256("S2") for the secret, SHA-256("R1"), SHA-256("R2") for the other polynomial, and its constant SHA-256("R").

/** Hex digits, perhaps in groups. */
const bytes = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ''), 'hex')
/** A text on several lines. */
const joined = (text: string): string => text.replace(/\s/g, '')

/** Share n, counted from 1, has x = n. `binary` shows header and check, the value of the secret, and the other value. */
export const SPLITS = [
  {
    threshold: 3,
    secret: bytes('000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'),
    blind: bytes('8c2574892063f995fdf756bce07f46c1a5193e54cd52837ed91e32008ccf41ac'),
    coefficients: {
      secret: [
        bytes('3696ad59777e09d5f2daacb544022d435e7cd053d87c5781241fabd8fdf2a90d'),
        bytes('adfa2b24c2d924fe6383d8804be55afb98ea3eb0e14c3470ac3a0f651b9a422e'),
      ],
      blind: [
        bytes('a791366f6f6201254edcac9ec72017b12d8a69513b5e1e29a29a4048ffb16e27'),
        bytes('d653b016db1da8f5b36f84a44465e5d6adffeb38ae46cc701e3462343727717b'),
      ],
    },
    shares: [
      {
        binary: bytes(`
          01200301 ec358719705e688635fa66d3bb79aa8c
          9b6d847eb1a22b2c99507e3e03ea79b7d687fcf02d2575e6903cbea6fa75f53c
          fde7f2f0941c504500447e86633ab4a6256cbc3d584a512765b0107c44595ef0
        `),
        text: joined(`
          AGS1-EABQD-3BVQ4-MXAXT-IQY27-UZWTX-N42VD-E3NWC-H5MNC-FMWJS-UD6HY-B6U6N-X22D7-Z4BNE-V26NE-
          B4X2T-PU5PV-HT66P-4XQSQ-OFARI-AIR7I-MYZ2W-STCK3-F4HVM-EUUJH-MWYBA-7CELF-PPBW4-GS5IA
        `),
      },
      {
        binary: bytes(`
          01200302 ec358719705e688635fa66d3bb79aa8c
          dac4f422e19d8e1f63b33160ab9c3f67cf40487721dd68d5e0ce703e899144bf
          9a49d80c92d15c2eadf01d107fa8fef949f2401402f58eeee4fb3a41af30580c
        `),
        text: joined(`
          AGS1-EABQF-3BVQ4-MXAXT-IQY27-UZWTX-N42VD-G2YT2-CFYM5-RYPWH-MZRMC-VZYP3-HZ5AE-Q5ZB3-VUNLY-
          GOOA7-ITEKE-X6NET-WAMSL-IVYLV-N6AOR-A75I7-34UT4-SACQB-PLDXO-4T5TU-QNPGB-MAYXH-4G4IQ
        `),
      },
      {
        binary: bytes(`
          01200303 ec358719705e688635fa66d3bb79aa8c
          41a8725f543aa334f2ea4555a47b48df09d6a69418ed0b2468ebd4836ff9af9c
          eb8b5e7526aef5fe5043352afced0c9ec987c27d97ed5cb75855183d67a64750
        `),
        text: joined(`
          AGS1-EABQH-3BVQ4-MXAXT-IQY27-UZWTX-N42VD-CBVBZ-F6VB2-UM2PF-2SFKW-SHWSG-7BHLK-NFAY5-UFSI2-
          HL2SB-W76NP-TTVYW-XTVE2-XPL7S-QIM2S-V7HNB-SPMTB-6CPWL-62XFX-LBKRQ-PLHUZ-DVBFK-UJ5CA
        `),
      },
      {
        binary: bytes(`
          01200304 ec358719705e688635fa66d3bb79aa8c
          05f9052af46f47d1fb5e30daa25014b9e741b85261270f164bc74329527398c3
          775aac592c317e3ef07dae83baa1456accce289ac4463cd0b0311060007dee8a
        `),
        text: joined(`
          AGS1-EABQJ-3BVQ4-MXAXT-IQY27-UZWTX-N42VD-AF7EC-SV5DP-I7I7W-XRQ3K-RFAFF-Z45A3-QUTBE-4HRMS-
          6HIMU-VE44Y-YN3VV-LCZFQ-YX4PX-QPWXI-HOVBI-VVMZT-RITLC-EMPGQ-WAYRA-YAAPX-XIVVU-F7UUA
        `),
      },
      {
        binary: bytes(`
          01200305 ec358719705e688635fa66d3bb79aa8c
          9e95835741c86afa6a0744efadb7630121d756b158176ce7c3e2e794b41b73e0
          06982a20984ed7ee0dce86b939e4b70d4cbbaaf3515eee890c9f321cc8ebf1d6
        `),
        text: joined(`
          AGS1-EABQL-3BVQ4-MXAXT-IQY27-UZWTX-N42VD-E6SWB-VOQOI-NL5GU-B2E56-W3OYY-BEHLV-NMKYC-5WOPQ-
          7C46K-LIG3T-4ADJQ-KRATB-HNP3Q-NZ2DL-SOPEW-4GUZO-5K6NI-V53UJ-BSPTE-HGI5P-Y5MZC-3K7TA
        `),
      },
    ],
  },
  {
    threshold: 2,
    secret: bytes('000102030405060708090a0b0c0d0e0f'),
    blind: bytes('8c2574892063f995fdf756bce07f46c1a5193e54cd52837ed91e32008ccf41ac'),
    coefficients: {
      secret: [bytes('3696ad59777e09d5f2daacb544022d435e7cd053d87c5781241fabd8fdf2a90d')],
      blind: [bytes('a791366f6f6201254edcac9ec72017b12d8a69513b5e1e29a29a4048ffb16e27')],
    },
    shares: [
      {
        binary: bytes(`
          01100201 c74f040a7df86314fa740cb20af50b6f
          3697af5a737b0fd2fad3a6be480f234c5e7cd053d87c5781241fabd8fdf2a90d
          2bb442e64f01f8b0b32bfa22275f517088935705f60c9d577b847248737e2f8b
        `),
        text: joined(`
          AGS1-CABAD-R2PAQ-FH36D-DCT5H-IDFSB-L2QW3-ZWS6X-VU433-B7JPV-U5GXZ-EA6I2-MLZ6N-AU6YP-RLYCJ-
          A7VPM-P34VJ-BUV3I-QXGJ4-A7RMF-TFP5C-EJ27K-FYIRE-2XAX3-AZHKX-POCHE-SDTPY-XYXRR-P23BA
        `),
      },
      {
        binary: bytes(`
          01100202 c74f040a7df86314fa740cb20af50b6f
          6d2c58b1eaf915adedbc536184095489bcf9a0a7b0f8af03483f57b1fbe5521a
          c3071857fea7fffa604e0f816e3f69a2fe0decf6bbeebf2c9c2ab29173ad9de2
        `),
        text: joined(`
          AGS1-CABAF-R2PAQ-FH36D-DCT5H-IDFSB-L2QW3-3NFRM-LD2XZ-CWW63-PCTMG-CASVE-JXT42-BJ5Q7-CXQGS-
          B7K6Y-7XZKS-DLBQO-GCX72-T776T-AJYHY-C3R7N-GRP4D-PM625-65PZM-TQVLF-ELTVW-O6FEL-Z7NIQ
        `),
      },
      {
        binary: bytes(`
          01100203 c74f040a7df86314fa740cb20af50b6f
          5bbaf5e89d871c781f66ffd4c00b79cae28570f46884f8826c20fc690617fb17
          64962e3891c5fedf2e92a31fa91f7e13d38785a780b0a1053eb0f2d98c1cf3c5
        `),
        text: joined(`
          AGS1-CABAH-R2PAQ-FH36D-DCT5H-IDFSB-L2QW3-23XL2-6RHMH-DR4B6-ZX72T-AAW6O-K4KCX-B5DIQ-T4IE3-
          BA7RU-QMF73-C5SJM-LRYSH-C75XZ-OSKRR-7KI7P-YJ5HB-4FU6A-LBIIF-H2YPF-WMMDT-Z4KJU-OLV2A
        `),
      },
    ],
  },
]
