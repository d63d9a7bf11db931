/** Says that it is there and stays. */
console.log(JSON.stringify({ pid: process.pid }))
setInterval(() => undefined, 60_000)
