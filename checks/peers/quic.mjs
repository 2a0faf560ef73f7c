// QUIC packets of this package and of aioquic open each other: quic.py asks, this side answers.
import { cpu } from 'hardware-aes-gcm'
import { initialSecrets, PacketProtection, retryIntegrityTag } from 'hardware-aes-gcm/quic'
import { seed } from '../tools/random.mjs'
import { started } from './python.mjs'

const hex = text => Buffer.from(text, 'hex')

/** Runs `each` packets a way in every series, and gives a line about them. */
export async function quic(each) {
  const [begin, peer, objects] = [performance.now(), started('quic.py', each, seed), new Map()]
  for (;;) {
    const request = await peer.read()
    if (request.op === 'result') {
      await peer.end()
      const facts = Object.entries(request.count).map(([name, count]) => `${count} ${name}`)
      const least = 16 * each
      if (!(request.count.packets >= least)) throw new Error(`fewer than ${least} packets were compared`)
      const seconds = ((performance.now() - begin) / 1000).toFixed(1)
      return `QUIC, against aioquic: ${facts.join(', ')}; ${seconds} s`
    }
    peer.write(answer(objects, request))
  }
}

function answer(objects, { op, id, ...fields }) {
  const object = objects.get(id)
  switch (op) {
    case 'backends':
      return { backends: cpu().backends }
    case 'initial': {
      const { client, server } = initialSecrets(fields.version, hex(id))
      return { client: client.toString('hex'), server: server.toString('hex') }
    }
    case 'retry':
      return {
        tag: retryIntegrityTag(fields.version, hex(fields.connection), hex(fields.packet)).toString('hex'),
      }
    case 'new': {
      const { secret, version, backend } = fields
      objects.set(id, new PacketProtection(hex(secret), { version, ...(backend && { backend }) }))
      return {}
    }
    case 'seal': {
      const packet = Buffer.concat([hex(fields.header), hex(fields.payload), Buffer.alloc(16)])
      object.seal(packet, fields.header.length / 2, fields.number)
      return { packet: packet.toString('hex') }
    }
    case 'open': {
      const packet = hex(fields.packet)
      const number = object.open(packet, fields.offset, fields.largest)
      return { number, packet: packet.toString('hex'), phase: object.keyPhase }
    }
    case 'next':
      objects.set(id, object.nextKeys())
      return {}
    case 'drop':
      object.dropPreviousKeys()
      return {}
    case 'end':
      object.destroy()
      objects.delete(id)
      return {}
    default:
      throw new Error(`quic.py asks for ${op}`)
  }
}
