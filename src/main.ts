// The process entry of the service.
import { openService } from './compose.ts'
import { runProcess } from './process.ts'

await runProcess(openService)
