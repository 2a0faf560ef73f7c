// followKeyset over random keysets at random moments, against a plain model.
import { expect, test } from 'vitest'
import { Random } from '../../tools/support.js'
import { following, primaryOf, settled } from './follow-clock.js'
import { Model } from './replace-model.js'

const HOLD = 2 * 60_000

test('random keysets at random moments, as a plain model has them', async () => {
  const random = new Random('followed keysets')
  for (let run = 0; run < 6; run++) {
    const model = new Model(random)
    let text = model.keyring(model.today).export()
    const { clock, followed, errors } = await following({ load: () => text })
    let waiting: { id: number; since: number } | undefined
    let seals = model.today.primary
    for (let turn = 0; turn < 25; turn++) {
      clock.chance = random.below(5) / 4
      const back = random.below(10) === 0
      const next = random.below(3) === 0 ? model.today : model.next()
      text = model.keyring(next).export()
      const isWhole = random.below(5) !== 0
      if (!isWhole) text = text.slice(0, random.below(text.length))
      const before = errors.length
      if (back) await followed.refresh({ back })
      else await clock.next()
      await settled()
      const isTaken = isWhole && (back ? !model.hasOthers(next) : model.verdict(next) === 'newer')
      const state = JSON.stringify({ today: model.today, seals, waiting, next, back, text })
      expect([errors.length - before, state]).toEqual([isTaken ? 0 : 1, state])
      if (isTaken && next !== model.today) {
        const isKnown = waiting?.id !== next.primary && model.today.keys.some(({ id }) => id === next.primary)
        const isEnabled = (key?: number) =>
          next.keys.some(({ id, status }) => id === key && status === 'enabled')
        // The key that seals while another waits: today's, or else the one that waited before.
        const other = isEnabled(seals) ? seals : waiting?.id
        const mustWait = !back && next.primary !== other && !isKnown && isEnabled(other)
        seals = mustWait ? (other as number) : next.primary
        if (!mustWait) waiting = undefined
        else if (waiting?.id !== next.primary) waiting = { id: next.primary, since: clock.now() }
        model.today = next
      }
      if (isTaken && waiting !== undefined && (back || clock.now() >= waiting.since + HOLD)) {
        seals = waiting.id
        waiting = undefined
      }
      expect([primaryOf(followed.keyring), followed.keyring.keys.map(({ id }) => id), state]).toEqual([
        seals,
        model.today.keys.map(({ id }) => id),
        state,
      ])
    }
    followed.close()
  }
})
