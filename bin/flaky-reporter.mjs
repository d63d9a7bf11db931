// A test that passed only when it was tried again is a fault of somebody's: told by name, so that the retry hides none.
// vitest takes a reporter as a default export.
export default class FlakyReporter {
  onTestCaseResult(test) {
    if (test.diagnostic()?.flaky) console.log(`FLAKY: ${test.module.relativeModuleId}: ${test.fullName}`)
  }
}
