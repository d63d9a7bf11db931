import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = 'crd/generated/'

/** The kinds as manifests for `kubectl apply -f crd/generated/`. */
export const crds = {
  name: 'bin/generators/crds.mjs',
  files: [folder],
  async run(outDir) {
    const { stringify } = await import('yaml')
    const { customResourceDefinitions } = await import('../../crd/manifest.ts')
    await mkdir(join(outDir, folder), { recursive: true })
    for (const definition of customResourceDefinitions()) {
      // Aliases would be taken, yet nobody reads them; a line is as long as its text. kubectl reads YAML 1.1, where a bare
      // `off` is false.
      const text = stringify(definition, { aliasDuplicateObjects: false, lineWidth: 0, compat: 'yaml-1.1' })
      const header =
        '# Generated from crd/kinds.ts by bin/generators/crds.mjs (npm run generate). Not edited by hand.\n'
      await writeFile(join(outDir, folder, `${definition.metadata.name}.yaml`), header + text)
    }
  },
}
