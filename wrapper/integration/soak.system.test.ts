import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ModelRequest, Move } from '../selftest/model.ts'
import { openWorld, randomText, waitFor, type Pod, type PodWorld } from '../testing/pod.ts'
import { describeRequiring } from '../../testing/requires.ts'

/** 200 with `npm run test:wrapper`. */
const turns = Number(process.env['WRAPPER_SOAK_TURNS'] ?? 8)
const limitMs = 60_000 + turns * 6_000

/** The conversation is sent whole each time, so the large bodies come in a few turns only. */
const mixed = [1, 300, 20_000, 17, 1_000_000, 900, 120_000, 60] as const
const small = [1, 17, 300, 60, 900, 4_000] as const
const again = 100
const sizeOf = (turn: number): number => mixed[turn < again ? turn : turn - again] ?? small[turn % small.length]!

/** Turns whose request carried a token as the newest, by token. */
const heard = new Map<string, number>()
const bodies = new Map<number, string>()
let exact = 0

function decide({ body }: ModelRequest): Move {
  const newest = JSON.stringify(body.messages.filter(({ role }) => role === 'user').at(-1)?.content ?? '')
  const tokens = [...newest.matchAll(/\[turn ([\w-]+)\] Carry out/g)].map((match) => match[1]!)
  for (const token of tokens) heard.set(token, (heard.get(token) ?? 0) + 1)
  const turn = Number(tokens.at(-1)?.split('-')[1]) - 1
  if (newest.includes(JSON.stringify(bodies.get(turn) ?? '\0').slice(1, -1))) exact += 1
  return { kind: 'say', text: 'understood' }
}

describeRequiring('claude', `${turns} turns in a row on the real CLI`, () => {
  let world: PodWorld
  let pod: Pod
  beforeAll(async () => {
    world = await openWorld({ decide, keepsRequests: false, env: { AGENT_POD_TTL_SECONDS: '7200' } })
    pod = await world.start()
  }, 90_000)
  afterAll(() => world.close())

  test(
    'no turn is lost, none is doubled, every body is exact, and memory stays flat (WRAPPER-TURN-19)',
    async () => {
      const ids: string[] = []
      const memory: number[] = []
      for (let turn = 0; turn < turns; turn += 1) {
        bodies.set(turn, randomText(sizeOf(turn)))
        const result = await pod.turn(bodies.get(turn)!)
        expect(result).toMatchObject({ state: 'completed', finalText: 'understood' })
        expect(result.usage?.outputTokens).toBe(7)
        bodies.delete(turn)
        ids.push(result.turnId)
        memory.push(residentMegabytes(pod.process.pid!))
      }
      expect([...heard]).toEqual(ids.map((id) => [id, 1]))
      expect(exact).toBe(turns)
      await waitFor(
        () => world.callbacks.length >= turns,
        20_000,
        () => pod.log(),
      )
      expect(world.callbacks.map(({ turnId }) => turnId).toSorted()).toEqual(ids.toSorted())
      const [early, late] = [memory.slice(again + 20, again + 50), memory.slice(-30)]
      console.log(
        `${turns} turns; the wrapper held ${memory.at(0)} MB, at most ${Math.max(...memory)}, ${memory.at(-1)} MB`,
      )
      if (turns >= again + 80) expect(Math.max(...late)).toBeLessThan(Math.max(...early) * 1.3)
    },
    limitMs,
  )
})

function residentMegabytes(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Math.round(Number(kilobytes) / 1024)
}
