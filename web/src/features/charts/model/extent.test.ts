import { expect, it } from 'vitest'
import type { Graph } from '@/lib/data/charts'
import { extentsOf } from './extent'
import { seriesOf } from './series'

const graph = (series: Graph['series']) => ({ series }) as Graph

it('charts below each other share their extents, by unit', () => {
  const graphs = [
    graph({ m0: [-300, null, 200], m3: [50.5] }),
    graph({ m0: [900], m1: [-1_200], m3: [null] }),
  ]
  expect(extentsOf(graphs, seriesOf(['m0', 'm1', 'm3']))).toEqual({
    power: [-1_200, 900],
    percent: [50.5, 50.5],
  })
})

it('there is no extent without measurements', () => {
  expect(extentsOf([graph({ m0: [null] })], seriesOf(['m0', 'm3']))).toEqual({})
})
