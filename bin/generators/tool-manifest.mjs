import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const path = 'docs/tool-manifest.json'

/** What an agent may call, for those who write skills: `npm run build` puts it into the release. */
export const toolManifestFile = {
  name: 'bin/generators/tool-manifest.mjs',
  files: [path],
  async run(outDir) {
    const { toolManifest } = await import('../../cli/mcp/manifest.ts')
    await mkdir(dirname(join(outDir, path)), { recursive: true })
    await writeFile(join(outDir, path), `${JSON.stringify(toolManifest(), null, 2)}\n`)
  },
}
