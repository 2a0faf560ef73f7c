// Key services: checks/run.mjs kms
//
// Keysets are wrapped and unwrapped by awsKms through AWS's own client, against the server of the PyPI package moto, which answers as AWS
// documents. The service then fails in each way: another context, another key, a server that is down, one that never answers, one that
// answers garbage, one that answers another keyset. The command changes a keyset through a program that calls the same service. The types of
// the clients of AWS, Google and Azure fit the types of hardware-aes-gcm/kms, as the TypeScript compiler says. Google, Azure and Vault cannot be
// had here: their clients talk to stand-ins, which answer as documented, and fail in the same ways. No error shows a key or a token. Needs
// Python 3.11 or later with pip, and npm; installs the packages.
export default {
  about:
    'Keysets go through the clients of key services to servers and back, and whatever a service does, the last good keyset stays',
  on: 'x64 Linux',
  needs: ['build', 'python3'],
  plants: {
    'a client that leaves the context out': async () => (await tools()).contextLeftOut(),
    'an error that has the request': async () => (await import('./others.mjs')).requestInError(),
    'a client of another shape': async () => (await import('./types.mjs')).otherShape(),
  },
  async *prove() {
    const { clientsFit } = await import('./types.mjs')
    yield* (await tools()).live()
    yield* (await import('./others.mjs')).others()
    yield clientsFit()
  },
}

const tools = () => import('./aws.mjs')
