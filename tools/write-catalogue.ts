import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { detectors } from '../plugins/index.ts'
import { indexPlaces } from '../src/engine/rule/clause.ts'
import { ownFolder, projectFolder } from '../src/rules/built.ts'
import { checkFolders } from '../src/rules/load/load.ts'
import { formatCatalogue } from './catalogue-page.ts'

// A part of the build: every rule changes the catalogue, so that two pull requests with a rule would conflict if it were kept.
const { rules, categories } = checkFolders({ folders: [ownFolder], detectors })
const sources = rules.flatMap(({ source }) => source ?? [])
writeFileSync(
  join(projectFolder(), 'dist', 'catalogue.md'),
  formatCatalogue({ rules: sources, categories }, indexPlaces(detectors)),
)
