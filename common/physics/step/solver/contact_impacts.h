// Impacts of contacts by lanes. Only for contact_kernels.c, which includes this once per variant.
//
// An impact takes no time, so it is solved separately from pressing contacts, before each sub-step:
// for points that close fast and will touch in this sub-step or the next, Newton's law of impact
// changes v to v' = -e v. All points that close at one moment are solved together (x >= 0, v' >= -e
// v, with equality in one of the two), so that symmetry is kept and a box that lands flat does not
// rotate. A point that closes only because of another's impact is solved in the next round, so that
// an impact travels through rows of balls one by one. Since impulses act only where v' = -e v, a
// round changes the energy by the sum of x (1 - e) v / 2 over its points, v < 0: it never adds
// energy, and without friction conserves it if e is 1. Coulomb's friction of each impact follows.
//
// Bodies that meet later in the sub-step are shifted by the change that the impact makes to their
// path until then: from the shifted place their new velocity takes them to the right end. The
// velocity also accounts for gravity before and after the meeting. Joints would pull at shifted
// bodies, so bodies with joints rebound early instead. Joints bear their part of an impact between
// two sweeps (impact_joints.c).
//
// In a world that is not lively (LIVELY_LEAST), rebounds are hardly visible and this would cost too
// much: impacts of a step are solved before it, with one sweep per round.
#ifndef CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_IMPACTS_H
#define CAROM_COMMON_PHYSICS_STEP_SOLVER_CONTACT_IMPACTS_H

// How many sub-steps ahead impacts are found: one, and the acceleration within it. The solver lets
// nothing pass the surface in a sub-step, so it would slow down bodies that it finds there.
#define IMPACT_AHEAD 1.5f

// If the matrix of two points is worse conditioned, only one has the impact: the one that closes
// faster.
#define IMPACT_CONDITION_MAX 1000.0f

// Sweeps end when impulses change by less than this share.
#define IMPACT_SETTLED 1e-4f

INLINE lanes turning_k(const contact_lanes *c, lanes turn_a, lanes turn_b, lanes other_a,
                       lanes other_b)
{
    return (c->inv_mass_a + c->inv_mass_b) +
           (c->inv_inertia_a * turn_a * other_a + c->inv_inertia_b * turn_b * other_b);
}

// The full matrix, without couple_points()'s changes for the sub-steps; and whether the points are
// apart.
INLINE pair_matrix impact_matrix(const contact_lanes *c, lanes_int *apart)
{
    lanes turn_a[2];
    lanes turn_b[2];
    for (int n = 0; n < 2; n++) {
        const point_lanes *p = &c->points[n];
        turn_a[n] = p->anchor_ax * c->normal_y - p->anchor_ay * c->normal_x;
        turn_b[n] = anchor_bx(c, p) * c->normal_y - anchor_by(c, p) * c->normal_x;
    }
    lanes k1 = turning_k(c, turn_a[0], turn_b[0], turn_a[0], turn_b[0]);
    lanes k2 = turning_k(c, turn_a[1], turn_b[1], turn_a[1], turn_b[1]);
    lanes k12 = turning_k(c, turn_a[0], turn_b[0], turn_a[1], turn_b[1]);
    *apart = k1 * k2 < splat(IMPACT_CONDITION_MAX) * (k1 * k2 - k12 * k12);
    k12 = lanes_select(*apart, k12, splat(0.0f));
    return (pair_matrix){k1, k2, k12, inverse(k1), inverse(k2), inverse(k1 * k2 - k12 * k12)};
}

// Whether an impact of the last round has changed the velocity of one of the group's bodies. If
// not, no point of the group closes fast now either.
INLINE bool were_struck(const contact_lanes *c, const impact_pass *pass)
{
    bool struck = false;
    for (int lane = 0; lane < LANES; lane++) {
        struck |= pass->struck[c->body_a[lane]] == pass->round;
        struck |= pass->struck[c->body_b[lane]] == pass->round;
    }
    return struck;
}

// The lanes of a part with a body whose velocity an impact of the last round has changed. Rounds
// after the first search only these: which other contacts share the group follows from the order of
// a list, and no result may depend on it.
INLINE lanes_int struck_lanes(const contact_lanes *c, const impact_pass *pass)
{
    lanes_int lanes_struck = {0};
    for (int lane = 0; lane < PART_LANES; lane++) {
        const bool struck = pass->struck[c->body_a[lane]] == pass->round ||
                            pass->struck[c->body_b[lane]] == pass->round;
        lanes_struck[lane] = struck ? -1 : 0;
    }
    return lanes_struck;
}

INLINE void mark_struck(const uint32_t *slots, const state_lanes *s, lanes_int blow,
                        const impact_pass *pass)
{
    uint32_t struck = signs_of(blow & (lanes_int)s->flags << 31);
    for (; struck != 0; struck &= struck - 1) {
        pass->struck[slots[__builtin_ctz(struck)]] = (uint8_t)(pass->round + 1);
    }
}

// The acceleration with which gravity makes the two close, if one of them does not fall [m/s²].
INLINE lanes closing_by_gravity(const contact_lanes *c, const state_lanes *a, const state_lanes *b,
                                const step_context *step)
{
    _Static_assert(STATE_DYNAMIC == 1, "the lowest bit says who moves");
    lanes_int one_falls = ((lanes_int)a->flags & 1) - ((lanes_int)b->flags & 1);
    lanes along = c->normal_x * splat(step->gravity.x) + c->normal_y * splat(step->gravity.y);
    return along * __builtin_convertvector(one_falls, lanes);
}

// Finds the points that close fast, and records their least speed after the impact. The other point
// of such a contact is included if it closes too, however slowly.
INLINE bool find_impacts(const group_view *g, body_state *states, const step_context *step,
                         const impact_pass *pass)
{
    const contact_lanes *c = g->lanes;
    surface_lanes *s = surface_of(g);
    const lanes zero = splat(0.0f);
    const lanes fast = splat(-float_max(step->restitution_threshold, (float)SPEED_LEAST));
    const float before = step->lively ? 0.0f : step->dt; // one search a step, for all of it
    const lanes ahead = splat(before + IMPACT_AHEAD * step->h);
    const lanes weight = pass->round < IMPACT_ROUNDS_ALL ? splat(1.0f) : s->restitution;
    state_lanes a = gather(states, c->body_a);
    state_lanes b = gather(states, c->body_b);
    lanes v[2];
    lanes later[2];
    lanes_int quick = {0};
    for (int n = 0; n < 2; n++) {
        v[n] = normal_velocity(c, &c->points[n], &a, &b);
        quick |= weight * v[n] < fast;
    }
    quick &= s->restitution > zero;
    if (any_lane(quick) && pass->round > 0) {
        quick &= struck_lanes(c, pass);
    }
    if (!any_lane(quick)) {
        return false;
    }
    const lanes round = rolled(g, &a, &b);
    lanes_int closing[2];
    lanes_int blow = {0};
    for (int n = 0; n < 2; n++) {
        lanes separation = separation_now(c, &c->points[n], &a, &b) + round;
        closing[n] = (separation + ahead * v[n] <= zero) & (v[n] < zero);
        later[n] = lanes_select(closing[n], s->unheld * lanes_max(separation, zero) / -v[n], zero);
        blow |= closing[n] & (weight * v[n] < fast);
    }
    blow &= quick;
    if (!any_lane(blow)) {
        return false;
    }
    lanes_int apart;
    impact_matrix(c, &apart);
    const lanes falls = closing_by_gravity(c, &a, &b, step);
    lanes_int first = v[0] <= v[1];
    closing[0] &= apart | first | ~closing[1];
    closing[1] &= apart | ~first | ~closing[0];
    for (int n = 0; n < 2; n++) {
        lanes gains = later[n] * falls;
        lanes parting = s->restitution * (gains - v[n]) + gains;
        s->blows[n].parting = lanes_select(blow & closing[n], parting, splat(-FAR_AWAY));
        s->blows[n].impulse = zero;
        s->blows[n].later = later[n];
    }
    return true;
}

// The lanes in which an impact was found. The others must keep their bits: whether they are
// computed at all depends on their neighbours and on the width of vectors.
INLINE lanes_int have_impacts(const surface_lanes *s)
{
    const lanes none = splat(-FAR_AWAY);
    return (s->blows[0].parting > none) | (s->blows[1].parting > none);
}

INLINE void keep_velocities(lanes_int changed, state_lanes *s, const state_lanes *before)
{
    s->vx = lanes_select(changed, s->vx, before->vx);
    s->vy = lanes_select(changed, s->vy, before->vy);
    s->w = lanes_select(changed, s->w, before->w);
}

// Brings the found points to their recorded speed after the impact, or a higher one without an
// impulse.
INLINE bool solve_impacts(const group_view *g, body_state *states)
{
    const contact_lanes *c = g->lanes;
    surface_lanes *s = surface_of(g);
    const lanes_int found = have_impacts(s);
    const state_lanes a_before = gather_velocities(states, c->body_a);
    const state_lanes b_before = gather_velocities(states, c->body_b);
    state_lanes a = a_before;
    state_lanes b = b_before;
    lanes_int apart;
    const pair_matrix k = impact_matrix(c, &apart);
    lanes b1 = (normal_velocity(c, &c->points[0], &a, &b) - s->blows[0].parting) -
               (k.k1 * s->blows[0].impulse + k.k12 * s->blows[1].impulse);
    lanes b2 = (normal_velocity(c, &c->points[1], &a, &b) - s->blows[1].parting) -
               (k.k2 * s->blows[1].impulse + k.k12 * s->blows[0].impulse);
    impulse_pair x = solve_pair(&k, are_twins(c), b1, b2);
    x.x1 = lanes_select(found, x.x1, splat(0.0f));
    x.x2 = lanes_select(found, x.x2, splat(0.0f));
    lanes d1 = x.x1 - s->blows[0].impulse;
    lanes d2 = x.x2 - s->blows[1].impulse;
    apply_normal_impulses(c, &a, &b, d1, d2);
    s->blows[0].impulse = x.x1;
    s->blows[1].impulse = x.x2;
    keep_velocities(found, &a, &a_before);
    keep_velocities(found, &b, &b_before);
    scatter(states, c->body_a, &a);
    scatter(states, c->body_b, &b);
    const lanes settled = splat(IMPACT_SETTLED) * (x.x1 + x.x2);
    return any_lane(lanes_abs(d1) + lanes_abs(d2) > settled);
}

INLINE void turn_slightly(state_lanes *s, lanes angle)
{
    lanes c = s->qc - angle * s->qs;
    lanes sine = s->qs + angle * s->qc;
    lanes inverse_length = splat(1.0f) / lanes_sqrt(c * c + sine * sine);
    s->qc = c * inverse_length;
    s->qs = sine * inverse_length;
}

// Shifts bodies back by the change of velocity of an impulse at a point, for the time by which the
// impulse is early.
INLINE void move_back(const contact_lanes *c, const point_lanes *p, state_lanes *a, state_lanes *b,
                      lanes px, lanes py)
{
    a->dx += c->inv_mass_a * px;
    a->dy += c->inv_mass_a * py;
    turn_slightly(a, c->inv_inertia_a * (p->anchor_ax * py - p->anchor_ay * px));
    b->dx -= c->inv_mass_b * px;
    b->dy -= c->inv_mass_b * py;
    turn_slightly(b, -(c->inv_inertia_b * (anchor_bx(c, p) * py - anchor_by(c, p) * px)));
}

// Applies the impacts' friction, shifts the bodies, and counts the impacts.
INLINE void end_impacts(const group_view *g, body_state *states, const impact_pass *pass)
{
    contact_lanes *c = g->lanes;
    const surface_lanes *s = surface_of(g);
    const state_lanes a_before = gather(states, c->body_a);
    const state_lanes b_before = gather(states, c->body_b);
    state_lanes a = a_before;
    state_lanes b = b_before;
    for (int n = 0; n < 2; n++) {
        point_lanes *p = &c->points[n];
        lanes normal = s->blows[n].impulse;
        p->total_impulse += normal;
        lanes limit = c->friction * normal;
        lanes across = lanes_clamp(-p->tangent_mass * sliding(g, p, &a, &b), -limit, limit);
        apply_impulse(c, p, &a, &b, across * c->normal_y, -(across * c->normal_x));
        lanes px = normal * c->normal_x + across * c->normal_y;
        lanes py = normal * c->normal_y - across * c->normal_x;
        move_back(c, p, &a, &b, s->blows[n].later * px, s->blows[n].later * py);
    }
    lanes_int blow = s->blows[0].impulse + s->blows[1].impulse > splat(0.0f);
    limit_speeds(&a);
    limit_speeds(&b);
    keep_velocities(blow, &a, &a_before);
    keep_velocities(blow, &b, &b_before);
    scatter_moved(states, c->body_a, &a, blow);
    scatter_moved(states, c->body_b, &b, blow);
    mark_struck(c->body_a, &a, blow, pass);
    mark_struck(c->body_b, &b, blow, pass);
    scatter(states, c->body_a, &a);
    scatter(states, c->body_b, &b);
}

INLINE bool sweep_part(const group_view *g, body_state *states, const step_context *step,
                       const impact_pass *pass)
{
    switch (pass->phase) {
    case IMPACT_FIND:
        return find_impacts(g, states, step, pass);
    case IMPACT_SOLVE:
        return solve_impacts(g, states);
    case IMPACT_END:
        end_impacts(g, states, pass);
        break;
    }
    return false;
}

// Marks all contacts of the parts without a due impact as free of impacts: contact_lanes_due()
// reads the lanes of every part.
INLINE void clear_parts(const contact_groups *groups, uint32_t index)
{
    for (int part = 0; part < PARTS; part++) {
        surface_lanes *s = PART_OF(&groups->surfaces[index], part);
        if ((groups->impacts[index] & IMPACTS_DUE << part) == 0) {
            s->blows[0].parting = s->blows[1].parting = splat(-FAR_AWAY);
        }
    }
}

// Returns in IMPACT_FIND whether any impact was found, in IMPACT_SOLVE whether any impulse changed.
static bool impact(const contact_groups *groups, uint32_t first, uint32_t end, body_state *states,
                   const step_context *step, const impact_pass *pass)
{
    const bool finds = pass->phase == IMPACT_FIND;
    bool any = false;
    for (uint32_t i = first; i < end; i++) {
        const uint8_t before = groups->impacts[i];
        if (before == IMPACTS_NEVER || (!finds && before == IMPACTS_POSSIBLE)) {
            continue;
        }
        if (finds) {
            groups->impacts[i] = IMPACTS_POSSIBLE;
            if (pass->round > 0 && !were_struck(&groups->lanes[i], pass)) {
                continue;
            }
        }
        for (int part = 0; part < PARTS; part++) {
            const uint8_t due = (uint8_t)(IMPACTS_DUE << part);
            const group_view g = view_group(groups, i, part);
            if ((g.features & LANES_NONE) == 0 && (finds || (before & due) != 0) &&
                sweep_part(&g, states, step, pass)) {
                groups->impacts[i] |= finds ? due : 0;
                any = true;
            }
        }
        if (finds && groups->impacts[i] >= IMPACTS_DUE) {
            clear_parts(groups, i);
        }
    }
    return any;
}

#endif
