// Tokens of jose 6.2.17, and tokens that jose opened.
export const VECTORS = [
  {
    key: '07'.repeat(32),
    kid: 'k1',
    token:
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiazEifQ..Wh8QCYHUI_W7we0u.DBseJ0M7niBb-cBcU-E.evT10n92hEWkDw-I9A3bwQ',
    text: 'attack at dawn',
  },
  {
    key: '07'.repeat(32),
    kid: 'k1',
    token:
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiazEifQ..CcgbPUZeAk8CGcbw.f06M4-1WEA.zF7AMZl2vLZ64EwPsn9emA',
    text: 'from us',
  },
  {
    key: '09'.repeat(16),
    kid: 'k1',
    token:
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwia2lkIjoiazEifQ..mfWHfxpeDABB76pA.gJNTbwGJpnrWrZOg-to.ikJztA4yt2J1Fr__oj9NQg',
    text: 'attack at dawn',
  },
  {
    key: '09'.repeat(16),
    kid: 'k1',
    token:
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIiwia2lkIjoiazEifQ..30nwtGoKyiShWrOP.q1cM5vE5Yw.1lK1IPJ7hooKYeGBSCTSSQ',
    text: 'from us',
  },
  {
    key: '07'.repeat(32),
    kid: 'k1',
    // The claims of a session, from jose's EncryptJWT.
    token:
      'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIiwia2lkIjoiazEifQ..2U7MJcbHQL2tYLov.u06DdtYF7RiJOpJfuybUpPM0UI_xSFji9QQmHUHSe3d3PU8cmMhySd4BaMb4Bg.fEDQy8LFQkwS-Kl0kEJvjA',
  },
]
