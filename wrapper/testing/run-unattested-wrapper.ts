/** The wrapper with one wall taken down: it does in the agent's name whatever anybody asks for. For negative controls. */
import { startWrapper } from '../main.ts'
import { BelievesAnybody } from './believes-anybody.ts'
import { plainTools } from './plain-tools.ts'

process.exitCode = await startWrapper('0.0.0-test', plainTools, new BelievesAnybody())
process.exit()
