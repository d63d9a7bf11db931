import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseJson } from './environment.ts'

/** `.mcp.json` fragments of the mounted configuration, by file name; `undefined` for one that is no JSON. */
export function readMcpOverlays(configDir: string): readonly unknown[] {
  const dir = join(configDir, 'mcp.d')
  if (!existsSync(dir)) return []
  return readdirSync(dir)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => parseJson(readFileSync(join(dir, name), 'utf8')))
}
