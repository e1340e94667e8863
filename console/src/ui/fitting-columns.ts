import { type RefCallback, useLayoutEffect, useState } from 'react';
import type { Column } from './list-definition.ts';

/** The columns of a table that fit into its frame. Spare ones are left out, the last ones first. */
export function useFittingColumns<Row>(columns: readonly Column<Row>[]): {
  frame: RefCallback<HTMLDivElement>;
  fitting: Column<Row>[];
  omitted: string[];
} {
  const [element, frame] = useState<HTMLDivElement | null>(null);
  const names = columns.map(({ name }) => name).join();
  const [state, setState] = useState({ names, omitted: [] as string[] });
  const omitted = state.names === names ? state.omitted : [];
  const fitting = columns.filter(({ name }) => !omitted.includes(name));

  // After every render, and before it is painted: rows that come later can be wider.
  useLayoutEffect(() => {
    if (!element) return;
    const headings = [...element.querySelectorAll('th')].slice(-fitting.length);
    const spare = fitting
      .map(({ name, spare }, at) => ({ name, spare, width: headings[at]?.offsetWidth ?? 0 }))
      .filter(({ spare }) => spare)
      .toReversed();
    let tooWide = element.scrollWidth - element.clientWidth;
    const more: string[] = [];
    for (const { name, width } of spare) {
      if (tooWide <= 0) break;
      more.push(name);
      tooWide -= width;
    }
    if (more.length > 0) setState({ names, omitted: [...omitted, ...more] });
  });

  useLayoutEffect(() => {
    if (!element) return;
    let width = element.clientWidth;
    const observer = new ResizeObserver(() => {
      if (element.clientWidth === width) return;
      width = element.clientWidth;
      setState({ names: '', omitted: [] });
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);

  return { frame, fitting, omitted };
}
