import type { SecretStore } from '../../edges/ports/resources.ts'
import { bearer } from '../../http/auth/authenticate.ts'
import { localPlace } from '../places/local.ts'
import type { Place } from '../places/place.ts'
import type { OrchestratorParts, OrchestratorPorts } from '../wiring/setup.ts'

type Needed = 'sql' | 'podTokens' | 'verifyOidc'

interface Surroundings {
  readonly secrets: SecretStore
  readonly pods: Place['pods']
  readonly memoryStacks?: Place['memoryStacks']
}

type Given = Surroundings & Pick<OrchestratorParts, Needed> & Omit<Partial<OrchestratorParts>, Needed | 'place'>

/** Of an orchestrator on this machine, with the pods and the secrets of a test. */
export function partsForTests(
  { clock, ids }: Pick<OrchestratorPorts, 'clock' | 'ids'>,
  { secrets, pods, memoryStacks, ...parts }: Given,
): OrchestratorParts {
  const { sql, verifyOidc } = parts
  return {
    place: localPlace({ sql, clock, ids, authenticate: bearer(verifyOidc), secrets, pods, memoryStacks }),
    callbackMaster: 'callbacks',
    sessionKey: 'sessions',
    modelKey: 'print',
    wrapperToken: () => Promise.resolve('wrapper'),
    ...parts,
  }
}
