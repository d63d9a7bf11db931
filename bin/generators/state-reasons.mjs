import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const path = 'machines/generated/reasons.ts'

/** Why an actor rests: every state that is not final, and every reason a Task gives, as one enum for status, `why` and documents. */
export const stateReasons = {
  name: 'bin/generators/state-reasons.mjs',
  files: [path],
  async run(outDir) {
    const { allMachines } = await import('../../machines/registry.ts')
    const { stageReasons } = await import('../../machines/task/reasons.ts')
    const states = allMachines.flatMap(({ kind, machine }) =>
      below(machine.root).flatMap((state) => entryOf(kind, state)),
    )
    const said = Object.entries(stageReasons)
      .filter(([, { stage }]) => stage !== 'final')
      .map(([reason, { stage, owner, unblocks }]) => [`task/${stage}/${reason}`, owner, reason, unblocks])
    const { waits } = await import('../../machines/why/waits.ts')
    const waiting = Object.entries(waits).map(([wait, { state, owner, says, unblocks }]) => [
      `task/${state}/${wait}`,
      owner,
      says,
      unblocks,
    ])
    const lines = [...states, ...said, ...waiting].map(
      ([name, owner, text, unblocks]) =>
        `  ${quote(name)}: { owner: ${quote(owner)}, text: ${quote(text)}, unblocks: ${quote(unblocks)} },`,
    )
    const text = [
      '/** Generated from the machines by bin/generators/state-reasons.mjs (npm run generate). Not edited by hand. */',
      "import type { Owner } from '../definition.ts'",
      '',
      'interface Reason {',
      '  readonly owner: Owner',
      '  readonly text: string',
      '  readonly unblocks: string',
      '}',
      '',
      '/** `<kind>/<state>` as the state of a machine says it of itself; `task/<park>/<reason>` as the park was entered, `task/<state>/<wait>` as the Task knows. */',
      'export const reasons = {',
      ...lines,
      '} as const satisfies Readonly<Record<string, Reason>>',
      '',
    ].join('\n')
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), text)
  },
}

function below(state) {
  return Object.values(state.states).flatMap((child) => [child, ...below(child)])
}

/** Finals rest for ever and wait for nobody. */
function entryOf(kind, { path: at, meta, type }) {
  return meta === undefined || type === 'final'
    ? []
    : [[`${kind}/${at.join('.')}`, meta.owner, meta.reason, meta.unblocks]]
}

function quote(text) {
  return text.includes("'") ? `"${text.replaceAll('"', '\\"')}"` : `'${text}'`
}
