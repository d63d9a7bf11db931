/** `statewright inspect`: an exported bundle in the inspector's page, on this machine alone and without a store. */
import { randomBytes, randomUUID } from 'node:crypto'
import { basename } from 'node:path'
import type { ParseArgsOptionsConfig } from 'node:util'
import { bundleReader, orderFaults, shownFaults } from '../../../edges/inspector/readings/bundle-reader.ts'
import { boardReader } from '../../../edges/inspector/readings/read-board.ts'
import { registerInspector } from '../../../edges/inspector/register.ts'
import { createSessions } from '../../../edges/inspector/access/sessions.ts'
import { createTickets } from '../../../edges/inspector/access/tickets.ts'
import { unauthenticated } from '../../../http/auth/authenticate.ts'
import { createLogger } from '../../../http/operational/logging.ts'
import { createServer, type HttpServer } from '../../../http/server.ts'
import { serverClock } from '../../../http/operational/server-clock.ts'
import { machines } from '../../../machines/registry.ts'
import { listedMachines } from '../../../machines/why/listed.ts'
import { readLastTurn } from '../../../orchestrator/operators/last-turn.ts'
import { shownWhys } from '../../../orchestrator/operators/why.ts'
import { systemClock } from '../../../runtime/clock.ts'
import type { BundleFile } from '../../../runtime/journal/bundle/schema.ts'
import { count, readArgs, UsageError } from '../../args.ts'
import { aborted, untilInterrupted } from '../../local/processes/interrupt.ts'
import { version } from '../../program.ts'
import { print, printError } from '../../output/terminal.ts'
import { readBundle, refuseBundle } from './import.ts'

const usage = `usage: statewright inspect FILE [--port N]

Opens a file of statewright export in the inspector's page, and prints the link. It shows what was when the file was written.
It reads the file alone: it writes nothing, needs no store, and sends nothing over the network. The page is on 127.0.0.1.
An actor that this version cannot load is shown as quarantined, with the reason. A story has the pods, turns and threads that
the file has: export '*' for all. It shows tokens and no prices: no file says whether a scripted model was asked.
Ctrl-C ends it.

Exit code 0: it ran until it was ended. 2: the file cannot be read or is no such bundle; the command lists its faults.

  --port N          listen on this port (default: one that is free)

Example: statewright export '*' --out all.json && statewright inspect all.json`

const options = { port: { type: 'string' } } as const satisfies ParseArgsOptionsConfig

const sessionMs = 12 * 3_600_000

export async function inspect(args: readonly string[]): Promise<number> {
  const parsed = readArgs(args, options, usage)
  if (parsed === undefined) return 0
  const [path, ...more] = parsed.positionals
  if (path === undefined || more.length > 0) throw new UsageError(`inspect takes one file\n\n${usage}`)
  const port = count(parsed, 'port', 0)
  const asked = untilInterrupted()
  const { server, link } = await openBundle(path, port)
  print(link)
  printError(['the link works once, within ten minutes; Ctrl-C ends the inspector'])
  await aborted(asked)
  await server.close({ graceMs: 0 })
  return 0
}

interface Opened {
  readonly server: HttpServer
  /** Opens one session. */
  readonly link: string
}

/** `path` is a file, `port` one of 127.0.0.1; 0: any that is free. */
export async function openBundle(path: string, port: number): Promise<Opened> {
  const file = readBundle(path)
  refuseBundle(path, orderFaults(file, machines))
  const logger = createLogger({ name: 'inspect', level: 'silent' })
  const clock = serverClock(systemClock, logger)
  const ids = { next: () => randomUUID() }
  const runtime = bundleReader(file, listedMachines)
  // What is shown is as old as the file: ages and timers are told of that moment. A session ends by the real clock.
  const then = { ...clock, now: () => file.exportedAt }
  const whyOf = shownWhys({ runtime, clock: then, isScripted: undefined })
  refuseBundle(path, await shownFaults(file, runtime, whyOf))
  const tickets = createTickets({ clock, ids })
  const openapi = { title: 'Statewright inspector', description: 'An exported bundle.' }
  const server = await createServer({ name: 'inspect', version: version(), logger, clock, ids, openapi })
  await registerInspector(server.app, {
    ...{ runtime, definitions: machines, clock: then, ids, logger, tickets },
    hindranceOf: async () => undefined,
    lastTurnOf: ({ context }) => readLastTurn(runtime, context),
    whyOf,
    board: boardReader({ runtime, clock: then, maintainers: async () => new Map(), hasPrices: false }),
    authenticate: async () => {
      throw unauthenticated('an exported bundle opens by its link alone', true)
    },
    allowFeed: () => undefined,
    sessions: createSessions({ clock, key: randomBytes(32).toString('hex'), lifetimeMs: sessionMs }),
    file: `${basename(path)}, exported ${exportedOn(file)}`,
  })
  const { url } = await server.listen({ host: '127.0.0.1', port })
  return { server, link: `${url}/inspector?ticket=${tickets.mint()}` }
}

function exportedOn({ exportedAt }: BundleFile): string {
  return `${new Date(exportedAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
