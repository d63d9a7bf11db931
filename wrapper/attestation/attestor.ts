import type { AskedCall } from '../tools/port.ts'
import type { BlockSink } from './block-reader.ts'
import { canonical } from './canonical.ts'
import { declaredTools } from './model-request.ts'
import { beginTurn, drop, outsideTurns, register, spend, type Registry, type Verdict } from './registry.ts'

/** What the model decided in the turn that runs: the proxy registers it, the tools' runner spends it, the conversation ends it. */
export class Attestor {
  #registry: Registry = outsideTurns
  #turn = new AbortController()
  #requests = 0

  constructor() {
    this.#turn.abort()
  }

  turnBegan(turnId: string): void {
    this.turnEnded()
    this.#turn = new AbortController()
    this.#registry = beginTurn(turnId)
  }

  turnEnded(): void {
    this.#registry = outsideTurns
    this.#turn.abort()
  }

  /** Aborted when the turn that runs now is over. */
  get turnOver(): AbortSignal {
    return this.#turn.signal
  }

  /** A request of the CLI to the model, before it goes out. */
  requestBegan(body: Uint8Array): BlockSink {
    const { turn } = this.#registry
    const asked = { ordinal: (this.#requests += 1), turn, tools: declaredTools(body) }
    return {
      register: (block) => (this.#registry = register(this.#registry, asked, block)),
      drop: () => (this.#registry = drop(this.#registry, asked)),
    }
  }

  spend({ id, tool, arguments: input }: AskedCall): Verdict {
    const call = { id: typeof id === 'string' ? id : '', tool, input: canonical(input ?? {}) }
    const [registry, verdict] = spend(this.#registry, call)
    this.#registry = registry
    return verdict
  }
}
