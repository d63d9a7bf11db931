import { Attestor } from '../attestation/attestor.ts'
import type { Verdict } from '../attestation/registry.ts'
import type { AskedCall } from '../tools/port.ts'

/** Law B3 taken down: whatever is asked for, the model has decided it, in a turn that does not end. */
export class BelievesAnybody extends Attestor {
  override get turnOver(): AbortSignal {
    return new AbortController().signal
  }

  override spend({ tool }: AskedCall): Verdict {
    return { kind: 'spent', block: { id: '', tool, input: '', request: 0, isSpent: true } }
  }
}
