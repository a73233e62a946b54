/** A place for the service's address, which is known in the worker only. */
import type { TestProject } from 'vitest/node'

export default function setup(project: TestProject): void {
  project.provide('service', { url: '', controlToken: '' })
}
