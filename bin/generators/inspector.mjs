/** Charts of all machines and the inspector's page; the sources are imported when run, since an older Node reads this too. */
export const inspectorCharts = {
  name: 'edges/inspector/charts/write-charts.ts',
  files: ['edges/inspector/generated/charts/'],
  async run(outDir) {
    const { writeCharts } = await import('../../edges/inspector/charts/write-charts.ts')
    await writeCharts(outDir)
  },
}

export const inspectorPage = {
  name: 'edges/inspector/charts/write-page.ts',
  files: ['edges/inspector/generated/page.js'],
  async run(outDir) {
    const { writePage } = await import('../../edges/inspector/charts/write-page.ts')
    await writePage(outDir)
  },
}
