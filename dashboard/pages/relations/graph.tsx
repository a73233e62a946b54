/** Draws a box for each collection, and an arrow for each linked pair. */

import { useMemo, useState } from 'react'
import { Link as PageLink } from 'wouter'
import { formatCount } from '../../../client/protocol/model/figures.js'
import { grouped } from '../../parts/grouped.js'
import { boxHeight, boxWidth, draw, type Edge } from './drawing.js'
import { type Link, type Relations, usersName } from './use-relations.js'

const mostNameCharacters = 17
const mostLabelCharacters = 16

export function placeOf(name: string): string {
  return name === usersName ? '/users' : `/data/${encodeURIComponent(name)}`
}

export function wordsFor(name: string): string {
  return name === usersName ? 'users' : name
}

interface Pair extends Edge {
  readonly fields: string
}

function pairsOf(links: readonly Link[]): Pair[] {
  const groups = grouped(links, keyOf)
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    const fields = group.map(({ field }) => field).join(', ')
    return first ? [{ from: first.from, to: first.to, fields, label: cut(fields, mostLabelCharacters) }] : []
  })
}

export function Graph({ relations: { collections, links } }: { relations: Relations }) {
  const [pointed, point] = useState<string>()
  const { boxes, arrows, width, height, loneFrom } = useMemo(() => {
    const names = collections.map(({ name }) => name)
    return draw(names, pairsOf(links))
  }, [collections, links])
  return (
    <div className="graph">
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: it is a group of links, and a hidden list describes the arrows. */}
      <svg width={width + 2} height={height + 2} viewBox={`-1 -1 ${width + 2} ${height + 2}`}>
        <defs>
          <marker
            id="arrow"
            viewBox="0 0 8 8"
            refX="8"
            refY="4"
            markerWidth="8"
            markerHeight="8"
            markerUnits="userSpaceOnUse"
            orient="auto"
          >
            <path d="M0 0.5 8 4 0 7.5z" />
          </marker>
        </defs>
        {/* biome-ignore lint/a11y/noAriaHiddenOnFocusable: no child can get the focus. */}
        <g aria-hidden="true">
          {arrows.map(({ edge, path }) => (
            <path key={keyOf(edge)} className={lookOf(edge, pointed)} d={path} markerEnd="url(#arrow)" />
          ))}
          {arrows.map(({ edge, label: { x, y } }) => (
            <text key={keyOf(edge)} className={lookOf(edge, pointed)} x={x} y={y}>
              <title>{edge.fields}</title>
              {edge.label}
            </text>
          ))}
          {loneFrom === undefined ? null : (
            <text className="graph-words" x={0} y={loneFrom}>
              Not linked
            </text>
          )}
        </g>
        {collections.map(({ name, total }) => {
          const { x, y } = boxes.get(name) ?? { x: 0, y: 0 }
          return (
            <PageLink
              key={name}
              href={placeOf(name)}
              className="box"
              aria-label={
                total === null
                  ? wordsFor(name)
                  : `${wordsFor(name)} ${formatCount(total)} ${total === 1 ? 'document' : 'documents'}`
              }
              onPointerEnter={() => point(name)}
              onPointerLeave={() => point(undefined)}
              onFocus={() => point(name)}
              onBlur={() => point(undefined)}
            >
              <title>{wordsFor(name)}</title>
              <rect x={x} y={y} width={boxWidth} height={boxHeight} rx="6" />
              <text className="box-name" x={x + 12} y={y + boxHeight / 2}>
                {cut(wordsFor(name), mostNameCharacters)}{' '}
              </text>
              <text className="box-count" x={x + boxWidth - 12} y={y + boxHeight / 2}>
                {total === null ? '' : formatCount(total)}
              </text>
            </PageLink>
          )
        })}
      </svg>
    </div>
  )
}

function keyOf({ from, to }: { readonly from: string; readonly to: string }): string {
  return JSON.stringify([from, to])
}

function lookOf({ from, to }: Pair, pointed: string | undefined): string {
  return pointed === from || pointed === to ? 'arrow pointed' : 'arrow'
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text
}
