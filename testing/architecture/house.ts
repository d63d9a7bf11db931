import { readSources, type SourceFile } from './source.ts'

/** What the ratchets judge, read once. */
export interface House {
  readonly files: readonly SourceFile[]
}

export function readHouse(root: string): House {
  return { files: readSources(root) }
}
