import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const manifest = 'docs/tool-manifest.json'
const page = 'docs/tools.md'

/** What an agent may call: for those who write skills (`npm run build` puts the manifest into the release), and as a page. */
export const toolManifestFile = {
  name: 'bin/generators/tool-manifest.mjs',
  files: [manifest, page],
  async run(outDir) {
    const { toolManifest } = await import('../../edges/agents/mcp/manifest.ts')
    const { toolsReference } = await import('../../edges/agents/mcp/reference.ts')
    const { jsonRows } = await import('../../runtime/json-rows.ts')
    await mkdir(dirname(join(outDir, manifest)), { recursive: true })
    await writeFile(join(outDir, manifest), jsonRows(toolManifest(), 2))
    await writeFile(join(outDir, page), toolsReference())
  },
}
