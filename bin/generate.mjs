// The generated files that are checked in. `npm run check` writes each afresh into an empty folder and compares.
//
// A generator is `{name, files, run(outDir)}`: `files` are the paths (folders end in `/`) that it owns, from the root;
// `run` writes them below `outDir` under the same paths.

/** @type {readonly {name: string, files: readonly string[], run(outDir: string): Promise<void>}[]} */
export const generators = []
