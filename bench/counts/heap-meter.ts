/** Bytes that V8 allocates from now on: what each collection found more than the one before had left. */
import { GCProfiler, getHeapStatistics } from 'node:v8'

export function countHeap(): () => number {
  const profiler = new GCProfiler()
  profiler.start()
  let left = getHeapStatistics().used_heap_size
  return () => {
    const end = getHeapStatistics().used_heap_size
    let bytes = 0
    for (const { beforeGC, afterGC } of profiler.stop()!.statistics) {
      bytes += beforeGC.heapStatistics.usedHeapSize - left
      left = afterGC.heapStatistics.usedHeapSize
    }
    return bytes + end - left
  }
}
