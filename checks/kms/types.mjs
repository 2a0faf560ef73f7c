// The TypeScript compiler says whether the clients of three services have the types that hardware-aes-gcm/kms needs of them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { execPath } from 'node:process'
import { root } from '../../scripts/tools.mjs'
import { AZURE, CLIENTS, GOOGLE } from './clients.mjs'

const SOURCE = `
import { KMS } from '@aws-sdk/client-kms'
import { CryptographyClient } from '@azure/keyvault-keys'
import { KeyManagementServiceClient } from '@google-cloud/kms'
import { awsKms, azureKeyVault, googleKms } from 'hardware-aes-gcm/kms'

declare const client: CryptographyClient
awsKms(new KMS({}), { keyId: 'k', encryptionContext: { a: 'b' } })
azureKeyVault(client, { algorithm: 'A256KW', context: 'users' })
googleKms(new KeyManagementServiceClient(), { name: 'k', context: 'users' })
`
const OTHER = `
import { KMSClient } from '@aws-sdk/client-kms'
import { awsKms } from 'hardware-aes-gcm/kms'
awsKms(new KMSClient({}), { keyId: 'k', encryptionContext: { a: 'b' } })
`

/** What the compiler prints about a source. */
function compile(source) {
  const folder = mkdtempSync(join(root, 'checks/kms/types-'))
  try {
    // As an installation has them: the compiler finds what each needs where the link leads.
    const modules = join(folder, 'node_modules')
    mkdirSync(modules)
    for (const [name, from] of [
      ['@aws-sdk', CLIENTS()],
      ['@google-cloud', GOOGLE()],
      ['@azure', AZURE()],
    ])
      symlinkSync(join(from, name), join(modules, name))
    const options = {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
    }
    writeFileSync(join(folder, 'use.mts'), source)
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: options, files: ['use.mts'] }),
    )
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    const { stdout } = spawnSync(execPath, [compiler, '-p', folder], { encoding: 'utf8' })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

export function clientsFit() {
  const output = compile(SOURCE)
  if (output !== '') throw new Error(`the types of the clients do not fit:\n${output}`)
  return 'types: the clients of AWS, Google and Azure fit'
}

/** A client of AWS without the functions. */
export function otherShape() {
  const output = compile(OTHER)
  return /error TS2345/.test(output) ? 'the compiler refuses it' : undefined
}
