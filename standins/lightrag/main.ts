/** The scripted model as a process, for whoever starts a LightRAG server by hand or in a bench: prints its address. */
import { startLightRagModel } from './model.ts'

const model = await startLightRagModel()
console.log(model.url)
process.once('SIGTERM', () => void model.close())
