import type { Suite } from './attack.ts'
import { attributes } from './classes/attributes.ts'
import { configuration } from './classes/configuration.ts'
import { deputies } from './classes/deputies.ts'
import { links } from './classes/links.ts'
import { processes } from './classes/processes.ts'
import { structure } from './classes/structure.ts'
import { uploadPack } from './classes/upload-pack.ts'

export async function everySuite(_isShort: boolean): Promise<readonly Suite[]> {
  return [configuration, attributes, structure, links, processes, deputies, uploadPack]
}
