/** The stand-in before real kubelet code: the same pods, once on a hollow node of kubemark (testing/judge.sh), once here. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { describeRequiring } from '../../testing/requires.ts'
import { lives, recordLife, shapeOf, type Shape, type Status } from './testing/lives.ts'
import { withKubelet } from './testing/real-kubelet.ts'

/** What a hollow node has not, or the stand-in: each with its reason. */
const apart: readonly RegExp[] = [
  // The probes of a hollow node are fake: it says that everything is ready, and never whether it started.
  /^\.(initContainer|container)Statuses\[\]\.started: /,
  /^\.conditions\[\]\.message: /,
  // Sums over containers, which the stand-in leaves out.
  /^\.(resources|allocatedResources)\b/,
]

function recorded(life: string): Shape {
  const text = readFileSync(join(import.meta.dirname, 'testing', `${life}.json`), 'utf8')
  return shapeOf((JSON.parse(text) as { readonly statuses: readonly Status[] }).statuses)
}

const compared = ({ fields }: Shape): readonly string[] =>
  fields.filter((one) => !apart.some((known) => known.test(one)))

describeRequiring('kubernetes', 'the stand-in kubelet beside real kubelet code', () => {
  test('has the same fields and types, the same conditions in their order, and the steps of a real life', async () => {
    await withKubelet(async ({ client, namespace, kubelet }) => {
      for (const [life, wanted] of Object.entries(lives)) {
        const real = recorded(life)
        // The program of a fake runtime ends well whenever it is asked to; a real one first says that it can.
        const listening = async (uid: string): Promise<void> => {
          const log = kubelet.logOf({ namespace, name: life, uid }, 'main')
          if (life === 'normal')
            await vi.waitFor(() => expect(readFileSync(log, 'utf8')).toContain('listening'), { timeout: 20_000 })
        }
        const own = shapeOf(await recordLife(client, { namespace, name: life }, wanted, listening))
        expect({ life, ...own, fields: compared(own) }).toEqual({ life, ...real, fields: compared(real) })
      }
    })
  })
})
