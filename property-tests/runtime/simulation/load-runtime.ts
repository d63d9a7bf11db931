/** The runtime as it is, or with a planted bug next to the right one. */
import { plant } from '../../plant.ts'
import type { PlantedBug } from './bugs.ts'
import type { CreateRuntime } from './processes.ts'

/** What is told apart by its class: of those there must be one. */
const sharedFiles = ['errors.ts', 'store/sql-error.ts', 'store/columns.ts'].map((file) => `runtime/${file}`)

function isOwn(file: string): boolean {
  return file.startsWith('runtime/') && !sharedFiles.includes(file)
}

export async function loadRuntime(bug?: PlantedBug): Promise<CreateRuntime> {
  const query = bug ? plant({ ...bug, beside: isOwn }).query : ''
  const address = `../../../runtime/create-runtime.ts${query}`
  const { createRuntime } = (await import(address)) as { readonly createRuntime: CreateRuntime }
  return createRuntime
}
