// Bytes of the generator on standard output, until the reader closes: source.mjs MODE [MIB]
// MODE is large (calls of 1 MiB), small (calls of 1 to 64 bytes) or a planted fault of PLANTED, which is output that is not random.
// Run by check.mjs.
import { writeSync } from 'node:fs'
import { argv, exit } from 'node:process'
import { randomBytes, randomFillSync } from 'hardware-aes-gcm'

const MIB = 2 ** 20

/** The planted faults change a buffer of random bytes. */
const PLANTED = {
  /** The first bit of every 1024 is 0. */
  cleared: buffer => {
    for (let i = 0; i < buffer.length; i += 128) buffer[i] &= 0x7f
  },
  /** Bit 5 of every 32-bit word is 1. */
  stuck: buffer => {
    for (let i = 0; i < buffer.length; i += 4) buffer[i] |= 0x20
  },
  /** Every 64th byte is the one before it. */
  repeated: buffer => {
    for (let i = 63; i < buffer.length; i += 64) buffer[i] = buffer[i - 1]
  },
}

const [mode, mebibytes = '0'] = argv.slice(2)
const buffer = Buffer.alloc(MIB)
for (let i = 0; mebibytes === '0' || i < Number(mebibytes); i++) {
  if (mode === 'small') fillSmall()
  else randomFillSync(buffer)
  PLANTED[mode]?.(buffer)
  write()
}

function fillSmall() {
  for (let at = 0, bytes = 1; at < MIB; at += bytes, bytes = (bytes % 64) + 1)
    randomBytes(Math.min(bytes, MIB - at)).copy(buffer, at)
}

function write() {
  for (let at = 0; at < MIB; ) {
    try {
      at += writeSync(1, buffer, at)
    } catch ({ code }) {
      if (code === 'EPIPE') exit()
      if (code !== 'EAGAIN') exit(1)
    }
  }
}
