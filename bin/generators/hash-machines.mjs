// Prints, as one line of JSON, the hash of each machine whose kind is a parameter. The bundler that this takes lies in a
// process of its own: within a server it would stay for the server's life.
import { hashOf } from './machine-hashes.mjs'

const hashes = process.argv.slice(2).map(async (kind) => [kind, await hashOf(kind)])
console.log(JSON.stringify(Object.fromEntries(await Promise.all(hashes))))
