// The codes that errors of calls may have.
const ARGUMENTS = ['ERR_INVALID_ARG_TYPE', 'ERR_INVALID_ARG_VALUE', 'ERR_OUT_OF_RANGE', 'ERR_INVALID_THIS']
const MEMORY = ['ERR_AESGCM_SHARED_BUFFER', 'ERR_AESGCM_DETACHED_BUFFER']

/** The codes of wrong arguments, and further ones. */
export const codes = (...more) => new Set([...ARGUMENTS, ...MEMORY, ...more])
