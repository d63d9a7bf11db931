import { startWrapper } from '../main.ts'
import { plainTools } from './plain-tools.ts'

process.exitCode = await startWrapper('0.0.0-test', plainTools)
process.exit()
