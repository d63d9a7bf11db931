/** The limit: the same files, read and parsed, and no event folded. */
import { overJournals } from './over-journals.ts'

overJournals(() => false)
