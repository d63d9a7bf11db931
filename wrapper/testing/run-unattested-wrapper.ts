/** The wrapper with one wall taken down: it does in the agent's name whatever anybody asks for. For negative controls. */
import { Attestor } from '../attestation/attestor.ts'
import type { Verdict } from '../attestation/registry.ts'
import { startWrapper } from '../main.ts'
import type { AskedCall } from '../tools/port.ts'
import { plainTools } from './plain-tools.ts'

class BelievesAnybody extends Attestor {
  override spend({ tool }: AskedCall): Verdict {
    return { kind: 'spent', block: { id: '', tool, input: '', request: 0, isSpent: true } }
  }
}

process.exitCode = await startWrapper('0.0.0-test', plainTools, new BelievesAnybody())
process.exit()
