/** Reserves the service's address, which only the worker knows. */
import type { TestProject } from 'vitest/node'

export default function setup(project: TestProject): void {
  project.provide('service', { url: '', controlToken: '' })
}
