/**
 * The one place that hears node's `upgrade`: what node calls there runs outside of every error handling. A request for another
 * protocol that no path takes goes the way of all others, as RFC 9110, section 7.8 has it (HTTP-RULE-7).
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import { answerOn } from './broken-connection.ts'
import type { Logger } from './operational/logging.ts'
import type { Clock } from './ports.ts'
import { Problem } from './problems/problem.ts'

/** Has switched the protocol when it resolves. What it throws refuses: a Problem with its status. */
export type TakeUpgrade = (request: IncomingMessage, socket: Socket, head: Buffer) => Promise<void>

export interface Upgrades {
  /** Takes the requests for this path, as the router reads paths. */
  accept(path: string, take: TakeUpgrade): void
}

/** Connections at once; a page has one. */
const mostOpen = 500
/** Until it has switched. */
const longestHandshakeMs = 10_000
/** Without a byte in either direction. */
const longestSilenceMs = 120_000
/** A page that stays connects anew. */
const longestLifeMs = 24 * 3_600_000

interface UpgradesDeps {
  readonly clock: Clock
  readonly logger: Logger
  /** As the router reads it. */
  readonly pathOf: (request: IncomingMessage) => string
}

export class UpgradeTable implements Upgrades {
  readonly #deps: UpgradesDeps
  readonly #takers = new Map<string, TakeUpgrade>()
  readonly #open = new Set<Socket>()
  #isClosing = false

  constructor(deps: UpgradesDeps) {
    this.#deps = deps
  }

  accept(path: string, take: TakeUpgrade): void {
    this.#takers.set(path, take)
  }

  /** Node's `shouldUpgradeCallback`. */
  readonly isTaken = (request: IncomingMessage): boolean => this.#takers.has(this.#deps.pathOf(request))

  serve(server: Server): void {
    server.on('upgrade', (request, socket, head) => void this.#take(request, socket as Socket, head))
  }

  /** From now on every one is refused. */
  close(): void {
    this.#isClosing = true
  }

  async #take(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const { clock } = this.#deps
    const end = (): void => void socket.destroy()
    socket.on('error', end).on('end', end)
    this.#open.add(socket)
    let timer = clock.setTimer(longestHandshakeMs, end)
    socket.once('close', () => {
      timer.cancel()
      this.#open.delete(socket)
    })
    try {
      await this.#takerOf(request)(request, socket, head)
    } catch (error) {
      return this.#refuse(socket, error)
    }
    // What it speaks now has an end of its own.
    socket.off('end', end)
    timer.cancel()
    if (socket.destroyed) return
    timer = clock.setTimer(longestLifeMs, end)
    socket.setTimeout(longestSilenceMs, end)
  }

  #takerOf(request: IncomingMessage): TakeUpgrade {
    if (this.#isClosing) throw new Problem('not-ready', 'the server is stopping')
    if (this.#open.size > mostOpen) throw new Problem('not-ready', `${mostOpen} connections are open`)
    const take = this.#takers.get(this.#deps.pathOf(request))
    if (take === undefined) throw new Problem('not-found')
    return take
  }

  #refuse(socket: Socket, error: unknown): void {
    if (!(error instanceof Problem)) this.#deps.logger.error({ err: error }, 'a connection could not be upgraded')
    answerOn(socket, error instanceof Problem ? error : new Problem('internal'))
  }
}
