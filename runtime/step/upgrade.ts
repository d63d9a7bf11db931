import type { JsonObject, MachineDefinition } from '../../machines/definition.ts'

/** Brings a snapshot to the definition's version step by step, or throws saying which step is missing (R10). */
export function upgradeSnapshot(definition: MachineDefinition, snapshot: JsonObject, version: number): JsonObject {
  if (version > definition.version) {
    throw new Error(`the snapshot has version ${version}, newer than this code's ${definition.version}`)
  }
  let upgraded = snapshot
  for (let from = version; from < definition.version; from++) {
    const upgrade = definition.upgrades[from]
    if (!upgrade) throw new Error(`no upgrade of ${definition.kind} from version ${from} to ${from + 1}`)
    upgraded = upgrade(upgraded)
  }
  return upgraded
}
