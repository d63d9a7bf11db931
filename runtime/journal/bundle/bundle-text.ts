import { jsonRows } from '../../json-rows.ts'
import type { BundleFile } from './schema.ts'

/** The file, its actors, an actor's parts, and then one step a line. */
const levels = 4

export function bundleText(file: BundleFile): string {
  return jsonRows(file, levels)
}
