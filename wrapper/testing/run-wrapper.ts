import { startWrapper } from '../main.ts'

process.exitCode = await startWrapper('0.0.0-test')
process.exit()
