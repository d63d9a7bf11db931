/** The door to the laboratory: what `up` and `demo` start in place of a forge, an identity provider and a model. */
export { startForge, type Forge } from '../../standins/forge/forge.ts'
export { executeCi } from '../../standins/forge/ci/execute.ts'
export type { AuditEntry } from '../../standins/forge/store/audit.ts'
export { startIdentity, type Identity } from '../../standins/identity/identity.ts'
export { startModel, type Model } from '../../standins/model/server.ts'
export type { Scenario } from '../../standins/scenarios/format.ts'
export { dueActs, type SeenComment } from '../../standins/scenarios/humans.ts'
export {
  anyScenarioFile,
  defaultScenarioFile,
  loadScenario,
  playingOthers,
  rememberingScenarioFile,
} from '../../standins/scenarios/load.ts'
