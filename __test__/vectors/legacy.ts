// Texts that the original packages wrote: @47ng/cloak 1.2.0, cryptr 6, typeorm-encrypted 0.8.0, @boringnode/encryption 1.0.1.
const TEXT = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'

export const CLOAK = {
  key: 'k1.aesgcm256.fkW0qpBqsL5jDY-tORenouf1mjY8pw_XnYaneHeUa28=',
  sealed:
    'v1.aesgcm256.6e350aa2.uQik2e1Eu0jmoyvt.h-eW9w09OsfHiGdo93rr-8tUgw6tQntcAWPRxVvLrbDvdgmmE2MxAthaBHBxIMd0',
  text: TEXT,
}

export const CRYPTR = {
  secret: 'a secret of the user',
  sealed:
    '434fe48115a8c6565abbce536da758e1700de01090c4569e62aa4a7dbcc23677bccea068d9c6d45bca5cfe6e5f57c57b10cde347b7a887fc8f73f12c4795d324361bbfa213d0f20cb0296ae283b4d45962da61292e4d6c66d0a6d6b7a8d7dd3477e44aa08a86cebac9830bb9078f3171d087e436f03837959ded88d1094602ba',
  text: TEXT,
}

export const TYPEORM = [
  {
    ivLength: 12 as const,
    key: '0c'.repeat(32),
    sealed: 'XnxXmJk/Lsir0IW4nQSyV8O0IcWowg77Sq5kDVi32h2OYlfmy1q8UD8/W0qtnwwnXJZS8a1W0P9jm5hK',
    text: TEXT,
  },
  {
    ivLength: 16 as const,
    key: '10'.repeat(32),
    sealed: 'eOi0BxmnAjpmzqYa39nQGhEytf3uJJ1RxbGrR83mVK3CbNN+FjrWeLhpMtxCx7m0ik215zbaz0MpFLjS6h5y4w==',
    text: TEXT,
  },
]

export const BORINGNODE = {
  id: 'app',
  keys: 'averylongrandom32charslongkey!!!',
  sealed:
    'app.v1:J7CF6UDc8j-13Q0jUIDiNtVQOcKzuHkBYRUVysuwjGcl4PrDPmmLhGuU3ItyNw.CWWpMIyKfouQUPAs.Qd1Rvit3eg4wkXb577meaw',
  text: TEXT,
}
