// The process entry of a worker, which scans the URLs of batches.
import { openWorker } from './compose-worker.ts'
import { runProcess } from './process.ts'

await runProcess(openWorker)
