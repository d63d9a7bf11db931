/** MIRROR-4: deliveries that are lost, doubled and out of order leave nothing that one resync does not put right, on either forge. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { withReceiver } from '../../standins/forge/testing/fixture.ts'
import { calm, dialects, handless, withWorld } from './testing/world.ts'

const numRuns = Number(process.env['STATEWRIGHT_RUNS'] ?? 12)

test.each(Object.entries(dialects))(
  'MIRROR-4: lost, doubled and reordered webhooks end in one mirror after one resync on %s',
  { timeout: 300_000 },
  async (_, dialect) => {
    await withReceiver((receiver) =>
      withWorld(
        dialect,
        async (world) => {
          const all = world.deliveries
          expect(all.length).toBeGreaterThan(5)
          const plain = await world.copy()
          for (const one of all) await world.deliver(plain, one)
          expect(await world.resync(plain, calm, 2)).toBeUndefined()
          const right = handless(await world.rows(plain))
          const arriving = fc.tuple(fc.shuffledSubarray(all), fc.array(fc.constantFrom(...all), { maxLength: 4 }))
          await fc.assert(
            fc.asyncProperty(arriving, async ([once, again]) => {
              const disturbed = await world.copy()
              for (const one of [...once, ...again]) await world.deliver(disturbed, one)
              expect(await world.resync(disturbed, calm, 2)).toBeUndefined()
              expect(handless(await world.rows(disturbed))).toEqual(right)
            }),
            { numRuns, seed: 20261126, examples: [[[[], []]], [[all.toReversed(), all]]] },
          )
        },
        [{ url: receiver.url, events: ['*'] }],
      ),
    )
  },
)
