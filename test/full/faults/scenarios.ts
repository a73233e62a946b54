/** Every core scenario of the sweep. */
import { accountScenarios } from './account-scenarios.js'
import { documentScenarios } from './document-scenarios.js'
import { fileScenarios } from './file-scenarios.js'
import { projectScenarios } from './project-scenarios.js'
import type { Scenario } from './scenario.js'

export const scenarios: readonly Scenario[] = [
  ...documentScenarios,
  ...fileScenarios,
  ...accountScenarios,
  ...projectScenarios,
]
