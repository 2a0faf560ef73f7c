// Answers a request with a value that the server has sealed and opened.
import { cpu } from 'hardware-aes-gcm'
import { Keyring } from 'hardware-aes-gcm/keyring'

export const dynamic = 'force-dynamic'

const keyring = Keyring.generate()

export function GET() {
  return new Response(keyring.openText(keyring.sealText(`opened on ${cpu().backend}`)))
}
