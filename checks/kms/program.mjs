// The program of --unwrap and --wrap in this check: program.mjs encrypt|decrypt PORT KEY, bytes on standard input and standard output.
import { argv, stdin, stdout } from 'node:process'
import { clientOf } from './aws.mjs'

const [direction, port, KeyId] = argv.slice(2)
const chunks = []
for await (const chunk of stdin) chunks.push(chunk)
const bytes = Buffer.concat(chunks)
const client = clientOf(port)
const EncryptionContext = { keyset: 'users' }
const { CiphertextBlob, Plaintext } =
  direction === 'encrypt'
    ? await client.encrypt({ KeyId, Plaintext: bytes, EncryptionContext })
    : await client.decrypt({ KeyId, CiphertextBlob: bytes, EncryptionContext })
stdout.write(CiphertextBlob && direction === 'encrypt' ? CiphertextBlob : Plaintext)
