import { interleave } from '../kit/measure/interleave.ts'
import { machineSeconds, treeSeconds } from '../kit/measure/process-times.ts'
import { openCliFloor } from './cli-floor.ts'
import type { Contender } from './contender.ts'
import { buildRelease } from './release.ts'
import { openOwn, type OwnContender } from './own.ts'
import type { Plan } from './plan.ts'
import {
  contenders,
  type BootSample,
  type ContenderName,
  type MemorySample,
  type Results,
  type TurnSample,
} from './results.ts'
import { createScript, isSameText, promptOf, type Script } from './script.ts'
import { openStableScreen } from './stable-screen.ts'

export interface Observer {
  say(line: string): void
  attempt<T>(name: string, measure: () => Promise<T>): Promise<T | undefined>
}

interface Gathered {
  readonly turns: TurnSample[]
  readonly boots: BootSample[]
  readonly memory: MemorySample[]
}

export async function measureWrapper(plan: Plan, only: ReadonlySet<string>, observer: Observer): Promise<Results> {
  const gathered: Gathered = { turns: [], boots: [], memory: [] }
  const release = buildRelease()
  const before = readCpu()
  const wanted = contenders.filter((name) => only.size === 0 || only.has(name))
  await interleave(plan.rounds, wanted, async (name, round) => {
    await observer.attempt(`${name}, round ${round + 1}`, () =>
      visit({ name, round, plan, gathered, program: release.program }),
    )
    observer.say(`${name}, round ${round + 1} of ${plan.rounds}`)
  })
  const after = readCpu()
  release.remove()
  const seconds = (after.at - before.at) / 1000
  const foreign = after.machine - before.machine - (after.own - before.own)
  return { ...gathered, foreignCores: Math.max(0, foreign / seconds) }
}

/** Of all processes of the machine, and of this one with everything that it started. */
function readCpu(): { readonly at: number; readonly machine: number; readonly own: number } {
  return { at: performance.now(), machine: machineSeconds(), own: treeSeconds([process.pid]) }
}

interface Visit {
  readonly name: ContenderName
  readonly round: number
  readonly plan: Plan
  readonly gathered: Gathered
  readonly program: readonly string[]
}

async function visit({ name, round, plan, gathered, program }: Visit): Promise<void> {
  const script = createScript()
  const contender = await open(name, script, program)
  try {
    gathered.boots.push({ contender: name, round, readyMs: contender.readyMs })
    const turns = name === 'screen' ? plan.screenTurns : plan.turns
    const take = async (nth: number, isPushed: boolean): Promise<void> =>
      void gathered.turns.push(await oneTurn({ name, round, nth, isPushed, contender, script }))
    await take(0, false)
    const own = isOwn(contender) ? contender : undefined
    const earlyMiB = own?.residentMiB()
    for (let nth = 1; nth < turns; nth++) await take(nth, false)
    if (own) {
      for (let nth = turns; nth < turns + plan.pushes; nth++) {
        own.changeSomething(nth)
        await take(nth, true)
      }
      gathered.memory.push({ round, earlyMiB: earlyMiB!, lateMiB: own.residentMiB(), cliMiB: own.cliMiB() })
    }
  } finally {
    await contender.close()
  }
}

interface Asking {
  readonly name: ContenderName
  readonly round: number
  readonly nth: number
  readonly isPushed: boolean
  readonly contender: Contender
  readonly script: Script
}

async function oneTurn({ name, round, nth, isPushed, contender, script }: Asking): Promise<TurnSample> {
  const prompt = promptOf(nth)
  const asked = script.expect(prompt)
  const { submittedAt, toldAt, reported } = await contender.turn(prompt, asked)
  const { at, isExact } = await asked
  return {
    contender: name,
    round,
    answer: prompt.kind,
    isPushed,
    askedMs: at - submittedAt,
    toldMs: toldAt - at,
    isHeardExactly: isExact,
    isReportedExactly: reported === undefined || isSameText(reported, prompt.answer),
  }
}

function open(name: ContenderName, script: Script, program: readonly string[]): Promise<Contender> {
  if (name === 'own') return openOwn(script, program)
  return name === 'screen' ? openStableScreen(script) : openCliFloor(script)
}

function isOwn(contender: Contender): contender is OwnContender {
  return 'changeSomething' in contender
}
